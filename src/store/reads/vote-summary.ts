import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { memberOf } from '../../ledger/account-id.ts';
import { isCountedVote } from '../../ledger/entry.ts';
import { isPseudonym } from '../../ledger/pseudonym.ts';
import { hour } from '../../platform/durations.ts';
import type { DigestSummary } from '../../tally/announcement-store.ts';
import { accountOf } from '../account-columns.ts';
import type { Connection } from '../dialect/dialect.ts';
import { literal, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** Entries that one query reads: a few ms, in which SQLite blocks this thread. */
const rowsPerQuery = 2_000;
/** A page of entries that are all older than the period by this is the last one (ms). Ids grow with time, roughly. */
const marginMs = hour;
const maxTop = 5;
const maxMilestones = 5;

/** What a listing received in a period, by the time of receipt: so a vote that arrives late is in a later one. */
export async function summarizeVotes(
  db: Kysely<Tables>,
  reading: Connection,
  { listing, from, until }: { readonly listing: string; readonly from: number; readonly until: number },
): Promise<DigestSummary> {
  const votesByUser = new Map<string, number>();
  const milestones: { readonly userId: string; readonly votes: number }[] = [];
  let credits = 0;
  for (let below = Number.MAX_SAFE_INTEGER; ; ) {
    const page = await run(
      reading,
      db
        .selectFrom('entries')
        .leftJoin('deliveries', 'deliveries.id', 'entries.delivery_id')
        .select(['entries.id', 'entries.user_id', 'entries.cause', 'entries.credits', 'entries.reason', 'entries.at'])
        .select(['entries.listing', 'deliveries.received_at', 'deliveries.family'])
        .where('entries.id', '<', below)
        .orderBy('entries.id', 'desc')
        .limit(literal(rowsPerQuery)),
    );
    for (const { user_id, cause, credits: paid, reason, received_at: receivedAt, ...row } of page) {
      if (row.listing !== listing || row.family !== 'vote' || receivedAt === null) continue;
      if (receivedAt < from || receivedAt >= until) continue;
      const userId = memberOf(accountOf({ user_id }));
      credits += paid;
      if (isCountedVote(cause)) votesByUser.set(userId, (votesByUser.get(userId) ?? 0) + 1);
      if (cause === 'milestone') milestones.push({ userId, votes: Number.parseInt(reason ?? '', 10) || 0 });
    }
    const last = page.at(-1);
    if (last === undefined || page.length < rowsPerQuery || page.every(({ at }) => at < from - marginMs)) break;
    below = last.id;
    await nextTurn();
  }
  const named = milestones.filter(({ userId }) => !isPseudonym(userId)).reverse();
  return {
    votes: [...votesByUser.values()].reduce((sum, votes) => sum + votes, 0),
    voters: votesByUser.size,
    credits,
    // Of equals, who voted first.
    top: [...votesByUser]
      .toReversed()
      .filter(([userId]) => !isPseudonym(userId))
      .toSorted((one, other) => other[1] - one[1])
      .slice(0, maxTop)
      .map(([userId, votes]) => ({ userId, votes })),
    milestones: named.slice(0, maxMilestones),
    moreMilestones: Math.max(0, named.length - maxMilestones),
  };
}
