import { setImmediate as nextTurn } from 'node:timers/promises';
import { day, hour, minute, second } from '@tallyhook/platform/durations';
import { accountIdOf, type CommunityId, isPseudonym, memberOf } from '../../core/ledger/account.ts';
import { isCountedVote } from '../../core/ledger/entry.ts';
import { type EffectKind, fieldsFormat, newEffect } from '../../core/outbox/effect-kind.ts';
import { type QueueName, queueName } from '../../core/outbox/queue.ts';
import type { Calendar } from '../../core/rewards/calendar.ts';
import { enqueue } from '../../core/store/outbox/enqueue.ts';
import { advance, deleteProgress, literal, progressOf, run } from '../../core/store/query-builder.ts';
import type { EndedGuild, Sql, SqlClient } from '../../core/store/sql-module.ts';
import { isHidden } from '../../core/store/standings/hidden-members.ts';

/** Summarises the votes that a listing received in a period (ms since the epoch, `until` exclusive). */
export interface Digest {
  readonly channelId: string;
  readonly listing: string;
  readonly from: number;
  readonly until: number;
}

export const digestKind: EffectKind<'digest', Digest> = {
  kind: 'digest',
  ...fieldsFormat<Digest>({ channelId: ['string'], listing: ['string'], from: ['number'], until: ['number'] }),
};

/** Entries that one query reads: a few ms, in which SQLite blocks this thread. */
const rowsPerQuery = 2_000;
/** Accounts that are looked up at once. */
const accountsAtOnce = 500;
/** A page of entries that are all older than the period by this is the last one (ms). Ids grow with time, roughly. */
const marginMs = hour;
const maxTop = 5;
const maxMilestones = 5;

/** The part of a period that was not announced before. Times are ms since the epoch. */
export interface PlannedDigest extends Period {
  readonly listing: string;
  readonly communityId: CommunityId;
  readonly channelId: string;
  /** Until when votes were announced, as it was read; null before the first digest. */
  readonly announcedUntil: number | null;
  /** True if there are votes in it; otherwise nothing is enqueued. */
  readonly hasVotes: boolean;
}

export interface VoteSummary {
  /** Counted votes, and distinct voters. */
  readonly votes: number;
  readonly voters: number;
  /** All that the votes earned (credits). */
  readonly credits: number;
  /** The voters with the most votes, at most 5, most first. */
  readonly top: readonly { readonly userId: string; readonly votes: number }[];
  /** Who reached how many votes, at most 5, and how many others. */
  readonly milestones: readonly { readonly userId: string; readonly votes: number }[];
  readonly moreMilestones: number;
}

export type Summaries = ReadonlyMap<string, VoteSummary>;

const keyOf = (listing: string) => `digest ${listing}`;

export const reads = {
  /** Until when the votes of a listing were announced by digests (ms since the epoch); null if none were. */
  announcedUntil: (sql: Sql, listing: string): Promise<number | null> => progressOf(sql, keyOf(listing)),

  votesOf,
};

export const writes = {
  /** Enqueues a digest once, in whatever process. Returns the queue of the new effect, or null. */
  async plan(sql: Sql, digest: PlannedDigest, now: number): Promise<QueueName | null> {
    const { listing, communityId, channelId, announcedUntil, from, until, hasVotes } = digest;
    if (!(await advance(sql, keyOf(listing), announcedUntil, until)) || !hasVotes) return null;
    const content = { channelId, listing, from, until };
    const queue = queueName('channel', communityId, channelId);
    await enqueue(sql, [newEffect(digestKind, { queue, content, deliveryId: null, createdAt: now })]);
    return queue;
  },

  /** Forgets what was announced by digests of other listings, so that they start again when they are switched on. */
  async keepOf({ db, connection }: Sql, listings: readonly string[]): Promise<void> {
    const keys = db.selectFrom('announcement_progress').select('key');
    const stored = await run(connection, keys.where('key', 'like', keyOf('%')));
    const kept = listings.map(keyOf);
    for (const { key } of stored.filter((each) => !kept.includes(each.key))) {
      await run(connection, db.deleteFrom('announcement_progress').where('key', '=', key));
    }
  },
};

export type DigestStore = SqlClient<{ reads: typeof reads; writes: typeof writes }>;

interface ListingVotes {
  credits: number;
  readonly votesByUser: Map<string, number>;
  readonly milestones: { readonly userId: string; readonly votes: number }[];
}

/** A listing of a community some of whose members are on no leaderboard. */
export interface HidingListing {
  readonly name: string;
  readonly communityId: CommunityId;
  /** Discord IDs. */
  readonly hiddenRoles: readonly string[];
}

/** Votes for listings in a period, by their names. Scans the newest entries. */
async function votesOf(sql: Sql, { from, until }: Period, hiding: readonly HidingListing[]): Promise<Summaries> {
  const { db, connection } = sql;
  const byListing = new Map<string, ListingVotes>();
  for (let below = Number.MAX_SAFE_INTEGER; ; ) {
    const page = await run(
      connection,
      db
        .selectFrom('entries')
        .leftJoin('deliveries', 'deliveries.id', 'entries.delivery_id')
        .select([
          'entries.id',
          'entries.account_id',
          'entries.cause',
          'entries.credits',
          'entries.reason',
          'entries.at',
        ])
        .select(['entries.listing', 'deliveries.received_at', 'deliveries.family'])
        .where('entries.id', '<', below)
        .orderBy('entries.id', 'desc')
        .limit(literal(rowsPerQuery)),
    );
    for (const { account_id: accountId, cause, credits: paid, reason, received_at: receivedAt, ...row } of page) {
      if (row.listing === null || row.family !== 'vote' || receivedAt === null) continue;
      if (receivedAt < from || receivedAt >= until) continue;
      const userId = memberOf(accountId);
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
  const summaries = new Map<string, VoteSummary>();
  for (const [listing, votes] of byListing) {
    const hides = hiding.find(({ name }) => name === listing);
    const hidden =
      hides === undefined ? new Set<string>() : await hiddenAmong(sql, [...votes.votesByUser.keys()], hides);
    summaries.set(listing, summaryOf(votes, hidden));
  }
  return summaries;
}

async function hiddenAmong(
  { db, connection }: Sql,
  userIds: readonly string[],
  { communityId, hiddenRoles }: HidingListing,
): Promise<ReadonlySet<string>> {
  const hidden = new Set<string>();
  for (let start = 0; start < userIds.length; start += accountsAtOnce, await nextTurn()) {
    const ids = userIds.slice(start, start + accountsAtOnce).map((userId) => accountIdOf(communityId, userId));
    const seen = db.selectFrom('balances').select(['account_id', 'roles']).where('account_id', 'in', ids);
    for (const { account_id: accountId, roles } of await run(connection, seen.where('roles', 'is not', null)))
      if (isHidden(roles, hiddenRoles)) hidden.add(memberOf(accountId));
  }
  return hidden;
}

function summaryOf({ credits, votesByUser, milestones }: ListingVotes, hidden: ReadonlySet<string>): VoteSummary {
  const named = milestones.filter(({ userId }) => !isPseudonym(userId)).reverse();
  return {
    votes: [...votesByUser.values()].reduce((sum, votes) => sum + votes, 0),
    voters: votesByUser.size,
    credits,
    // Ties: who voted first.
    top: [...votesByUser]
      .toReversed()
      .filter(([userId]) => !isPseudonym(userId) && !hidden.has(userId))
      .toSorted((one, other) => other[1] - one[1])
      .slice(0, maxTop)
      .map(([userId, votes]) => ({ userId, votes })),
    milestones: named.slice(0, maxMilestones),
    moreMilestones: Math.max(0, named.length - maxMilestones),
  };
}

export async function deleteDigests(sql: Sql, { listings }: EndedGuild): Promise<boolean> {
  await deleteProgress(sql, listings.map(keyOf));
  return false;
}

/**
 * A delivery is answered within 5 s, so this long after a period every vote of it is stored, also by clocks that differ
 * a little (ms).
 */
export const settleMs = 15 * second;
/** After a longer downtime, a digest has the votes of this time only, or of one interval (ms). */
const maxPeriodMs = day;
/** A time that is further ahead was written by a clock that was ahead (ms). */
const clockToleranceMs = minute;

/** Times are ms since the epoch. */
export interface Period {
  readonly from: number;
  /** Exclusive. */
  readonly until: number;
}

/**
 * The latest end of an interval up to a time. Intervals start with the calendar day, and those of several days with a
 * Monday if it is weeks. The hour by which a change of the clock lengthens a day belongs to its last interval, unless
 * that is short.
 */
export function intervalEnd(calendar: Calendar, everyMs: number, at: number): number {
  const today = calendar.dayAt(at);
  const days = everyMs / day;
  // Day 0 is a Thursday, so that day 4 is a Monday.
  if (days > 1) return calendar.startOf(today - ((((today - 4) % days) + days) % days));
  const start = calendar.startOf(today);
  const last = everyMs > hour ? Math.ceil(day / everyMs) - 1 : Number.POSITIVE_INFINITY;
  return start + Math.min(last, Math.floor((at - start) / everyMs)) * everyMs;
}

/**
 * The period of the next digest; null if it has not ended. The first one is empty, and only fixes where the next one
 * starts.
 * @param announcedUntil the end of the last one; null before the first
 */
export function nextPeriod(
  announcedUntil: number | null,
  { calendar, everyMs, now }: { readonly calendar: Calendar; readonly everyMs: number; readonly now: number },
): Period | null {
  const until = intervalEnd(calendar, everyMs, now - settleMs);
  if (announcedUntil === null || announcedUntil > now + clockToleranceMs) return { from: until, until };
  if (announcedUntil >= until) return null;
  // An interval of days is longer than its duration if the clock is set back in it.
  const earliest = Math.min(until - maxPeriodMs, intervalEnd(calendar, everyMs, until - 1));
  return { from: Math.max(announcedUntil, earliest), until };
}
