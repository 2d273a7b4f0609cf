import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { BoundedMap } from '../../../platform/bounded-map.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Connection } from '../../../platform/database/dialect.ts';
import { hour, second } from '../../../platform/durations.ts';
import { memberOf } from '../../ledger/account-id.ts';
import { isCountedVote } from '../../ledger/entry.ts';
import { isPseudonym } from '../../ledger/pseudonym.ts';
import type { DigestSummary } from '../../tally/announcement-store.ts';
import { accountOf } from '../account-columns.ts';
import { literal, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** Entries that one query reads: a few ms, in which SQLite blocks this thread. */
const rowsPerQuery = 2_000;
/** A page of entries that are all older than the period by this is the last one (ms). Ids grow with time, roughly. */
const marginMs = hour;
/** How long a scan is used (ms): as short as a member who is forgotten meanwhile may still be named. */
const maxAgeMs = 10 * second;
/** Different periods that are remembered: of several time zones and intervals. */
const maxScans = 50;
/** A vote is stored within this time after its receipt (ms). */
const settledMs = 15 * second;
const maxTop = 5;
const maxMilestones = 5;

/** A period, by the time of receipt (ms since the epoch); `until` is exclusive. */
interface Period {
  readonly from: number;
  readonly until: number;
}

/**
 * What listings received in a period, by the time of receipt: so a vote that arrives late is in a later one. The newest
 * entries are scanned once for all listings whose periods are the same, as most are.
 */
export function sqlVoteSummaries(db: Kysely<Tables>, reading: Connection, clock: Clock) {
  const scans = new BoundedMap<{ readonly at: number; readonly summaries: Promise<Summaries> }>(maxScans);

  return async ({ listing, ...period }: Period & { readonly listing: string }): Promise<DigestSummary> => {
    const key = `${period.from} ${period.until}`;
    const known = scans.get(key);
    const at = clock.monotonic();
    if (known !== undefined && at - known.at < maxAgeMs) return (await known.summaries).get(listing) ?? noVotes;
    const summaries = summarizeVotes(db, reading, period);
    // Only a period that has ended has all its votes.
    if (period.until + settledMs <= clock.now()) {
      scans.set(key, { at, summaries });
      summaries.catch(() => scans.delete(key));
    }
    return (await summaries).get(listing) ?? noVotes;
  };
}

type Summaries = ReadonlyMap<string, DigestSummary>;

const noVotes: DigestSummary = { votes: 0, voters: 0, credits: 0, top: [], milestones: [], moreMilestones: 0 };

/** What was scanned of a listing. */
interface ListingVotes {
  credits: number;
  readonly votesByUser: Map<string, number>;
  readonly milestones: { readonly userId: string; readonly votes: number }[];
}

/** By listing. */
async function summarizeVotes(db: Kysely<Tables>, reading: Connection, { from, until }: Period): Promise<Summaries> {
  const byListing = new Map<string, ListingVotes>();
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
      if (row.listing === null || row.family !== 'vote' || receivedAt === null) continue;
      if (receivedAt < from || receivedAt >= until) continue;
      const userId = memberOf(accountOf({ user_id }));
      const votes: ListingVotes = byListing.get(row.listing) ?? { credits: 0, votesByUser: new Map(), milestones: [] };
      byListing.set(row.listing, votes);
      votes.credits += paid;
      if (isCountedVote(cause)) votes.votesByUser.set(userId, (votes.votesByUser.get(userId) ?? 0) + 1);
      if (cause === 'milestone') votes.milestones.push({ userId, votes: Number.parseInt(reason ?? '', 10) || 0 });
    }
    const last = page.at(-1);
    if (last === undefined || page.length < rowsPerQuery || page.every(({ at }) => at < from - marginMs)) break;
    below = last.id;
    await nextTurn();
  }
  return new Map([...byListing].map(([listing, votes]) => [listing, summaryOf(votes)]));
}

function summaryOf({ credits, votesByUser, milestones }: ListingVotes): DigestSummary {
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
