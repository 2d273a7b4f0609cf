import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Fields, matches } from '@tallyhook/platform/json';
import { type AccountId, type CommunityId, isPseudonym, memberOf } from '../../core/ledger/account.ts';
import { type EffectKind, newEffect } from '../../core/outbox/effect-kind.ts';
import { type QueueName, queueName } from '../../core/outbox/queue.ts';
import { outageDays } from '../../core/rewards/calendar.ts';
import { lostStreak } from '../../core/rewards/streak.ts';
import { accountsIn, parseHistory } from '../../core/store/account-columns.ts';
import { enqueue } from '../../core/store/outbox/enqueue.ts';
import { advance, deleteProgress, literal, progressOf, run } from '../../core/store/query-builder.ts';
import type { EndedGuild, Sql, SqlClient } from '../../core/store/sql-module.ts';
import type { Tables } from '../../core/store/tables.ts';
import { calendarOf } from '../../core/tally/community.ts';

export interface LostStreak {
  readonly userId: string;
  readonly days: number;
}

/** Announces streaks that ended before a day. */
export interface LostStreaks {
  readonly channelId: string;
  readonly listing: string;
  /** The day after the last one without a vote (day number). */
  readonly until: number;
  readonly streaks: readonly LostStreak[];
  readonly more: number;
}

const streakFields: Fields<LostStreak> = { userId: ['string'], days: ['number'] };
const fields: Fields<LostStreaks> = {
  channelId: ['string'],
  listing: ['string'],
  until: ['number'],
  streaks: ['object'],
  more: ['number'],
};

export const lostStreaksKind: EffectKind<'lostStreaks', LostStreaks> = {
  kind: 'lostStreaks',
  parse(value) {
    if (!matches<LostStreaks>(value, fields) || !Array.isArray(value.streaks)) return null;
    return value.streaks.every((streak) => matches<LostStreak>(streak, streakFields)) ? value : null;
  },
  withoutMember(content, userId) {
    const streaks = content.streaks.filter((streak) => streak.userId !== userId);
    return streaks.length === 0 ? null : { ...content, streaks };
  },
};

/** Accounts that one query reads: a few ms, in which SQLite blocks this thread. */
const rowsPerQuery = 2_000;
/** Days of an outage lengthen a streak after the vote that stored its last day; at most this many are expected. */
const maxOutageDays = 30;

export interface PlannedLostStreaks {
  /** Names the community. */
  readonly listing: string;
  readonly communityId: CommunityId;
  readonly channelId: string;
  /** The first day (day number) that was not checked before, as it was read; null before the first check. */
  readonly checkedUntil: number | null;
  /** Today, which is checked tomorrow (day number). */
  readonly until: number;
  /** The lost streaks with the most days. */
  readonly streaks: readonly LostStreak[];
  readonly more: number;
}

/** The rules of streaks in force, and the days to check (day numbers, the last one exclusive). */
export interface LostStreakQuery {
  readonly communityId: CommunityId;
  readonly from: number;
  readonly until: number;
  readonly minDays: number;
  readonly forgive: number;
  readonly timeZone: string;
}

const keyOf = (community: string) => `lost streaks ${community}`;

export const reads = {
  /** The first day whose lost streaks were not announced (day number); null before the first check. */
  checkedUntil: (sql: Sql, key: string): Promise<number | null> => progressOf(sql, keyOf(key)),

  find,
};

export const writes = {
  /** Enqueues the announcement once, in whatever process. Returns the queue of the new effect, or null. */
  async plan(sql: Sql, lost: PlannedLostStreaks, now: number): Promise<QueueName | null> {
    const { communityId, channelId, listing, checkedUntil, until, streaks, more } = lost;
    const isFirst = await advance(sql, keyOf(String(communityId)), checkedUntil, until);
    if (!isFirst || streaks.length === 0) return null;
    const content = { channelId, listing, until, streaks, more };
    const queue = queueName('channel', communityId, channelId);
    await enqueue(sql, [newEffect(lostStreaksKind, { queue, content, deliveryId: null, createdAt: now })]);
    return queue;
  },
};

export type LostStreakStore = SqlClient<{ reads: typeof reads; writes: typeof writes }>;

/**
 * The streaks that ended on these days, longest first. Scans the accounts of a community, whose streaks are those after the latest vote. What may have ended is decided by
 * the history: the streak may have been lengthened by an outage, and its member may have started a new one since.
 */
async function find(
  { db, connection }: Sql,
  { communityId, from, until, minDays, forgive, timeZone }: LostStreakQuery,
): Promise<readonly LostStreak[]> {
  const outages = await run(connection, db.selectFrom('outages').selectAll().orderBy('from_at'));
  const downtimes = outages.map(({ from_at, until_at }) => ({ from: from_at, until: until_at }));
  const context = { forgive, outageDays: outageDays(downtimes, calendarOf({ timeZone })) };
  const found: LostStreak[] = [];
  for (let last: AccountId | null | undefined = null; last !== undefined; await nextTurn()) {
    const balances = db.selectFrom('balances').select(['account_id', 'history', 'streak_days', 'streak_last_day']);
    const rows = accountsIn(balances, communityId, last).limit(literal(rowsPerQuery));
    const page: readonly Account[] = await run(connection, rows);
    for (const account of page) check(account);
    last = page.length < rowsPerQuery ? undefined : page.at(-1)?.account_id;
  }
  return found.toSorted((one, other) => other.days - one.days);

  function check({ account_id: accountId, history, streak_days: days, streak_last_day: lastDay }: Account): void {
    const userId = memberOf(accountId);
    const isOver = days >= minDays && lastDay < until && lastDay >= from - maxOutageDays;
    const isNew = days <= until - from + 1 && lastDay >= until;
    if (history === null || (!isOver && !isNew) || isPseudonym(userId)) return;
    const lost = lostStreak(parseHistory(history), { from, until }, context);
    if (lost >= minDays) found.push({ userId, days: lost });
  }
}

type Account = Pick<Tables['balances'], 'account_id' | 'history'> & {
  readonly streak_days: number;
  readonly streak_last_day: number;
};

export async function deleteLostStreaks(sql: Sql, { communityId, listings }: EndedGuild): Promise<boolean> {
  await deleteProgress(sql, [String(communityId), ...listings].map(keyOf));
  return false;
}
