import { hasNumbers, isObject } from '@tallyhook/platform/json';
import { type Expression, type Kysely, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import { type AccountId, accountRange, type CommunityId, type LastVotes, memberOf } from '../ledger/account.ts';
import { isEmpty, noDays } from '../rewards/calendar.ts';
import { emptyHistory, type StreakHistory, type VoteHistory } from '../rewards/history.ts';
import { type AccountState, markNames, marksOf, markValues } from '../tally/account-state.ts';
import { entryColumns, type Tables } from './tables.ts';

/** Restricts a query of accounts to those of a community, in the order of their ids. @param after null for the first */
export function accountsIn<Output>(
  query: SelectQueryBuilder<Tables, 'balances', Output>,
  communityId: CommunityId,
  after: AccountId | null = null,
) {
  const range = accountRange(communityId);
  return query
    .where('account_id', '>', after ?? range.after)
    .where('account_id', '<', range.before)
    .orderBy('account_id');
}

export type BalanceRow = Selectable<Tables['balances']>;

/** The columns of an account without its id, in the order in which they are written. */
export const accountColumns = [
  'credits',
  'votes',
  'last_entry',
  'last_votes',
  'entries',
  'history',
  'week_start',
  'week_votes',
  'week_credits',
  'month_start',
  'month_votes',
  'month_credits',
  'streak_days',
  'streak_last_day',
  ...markNames,
] as const satisfies readonly (keyof BalanceRow)[];

export function toAccountState(row: BalanceRow): AccountState {
  const id = row.account_id;
  return {
    id,
    userId: memberOf(id),
    credits: row.credits,
    votes: row.votes,
    lastEntry: row.last_entry,
    lastVotes: parseLastVotes(row.last_votes),
    entries: row.entries,
    history: row.history === null ? emptyHistory : parseHistory(row.history),
    scores: {
      week: { start: row.week_start, votes: row.week_votes, credits: row.week_credits },
      month: { start: row.month_start, votes: row.month_votes, credits: row.month_credits },
    },
    streak: { days: row.streak_days, lastDay: row.streak_last_day },
    roles: row.roles === null ? [] : parseRoles(row.roles),
    marks: marksOf(row),
  };
}

/** The values of {@link accountColumns}. The roles last seen are written by operations of their own. */
export function accountValues(account: AccountState) {
  const { credits, votes, lastEntry, lastVotes, entries, history, scores, streak, marks } = account;
  const { week, month } = scores;
  return [
    ...[credits, votes, lastEntry, JSON.stringify(lastVotes), entries],
    history === emptyHistory ? null : serializeHistory(history),
    ...[week.start, week.votes, week.credits, month.start, month.votes, month.credits],
    ...[streak.days, streak.lastDay],
    ...markValues(marks),
  ];
}

/** The values of an account by the names of their columns. */
export function accountRow(account: AccountState) {
  const values = accountValues(account);
  return Object.fromEntries(accountColumns.map((name, index) => [name, values[index]]));
}

/*
 * `balances.history`: a JSON array without names and without what is empty, because it is read and written for every
 * vote. About 40 bytes for a member who votes for one listing, and 100 where streaks have a reward.
 */

type StoredStreak = readonly [
  rules: readonly [every: number, forgive: number] | 0,
  folded: readonly [days: number, missed: number] | 0,
  foldedSteps: readonly [days: number, missed: number, counted: number, steps: number] | 0,
  paidSteps: number,
  payments: number,
];
type StoredHistory = readonly [
  votes: number,
  start: number | null,
  days: VoteHistory['days'],
  bonusDays: VoteHistory['bonusDays'] | 0,
  streak: StoredStreak | 0,
];

export function serializeHistory({ votes, start, days, bonusDays, streak }: VoteHistory): string {
  const stored: StoredHistory = [votes, start, days, isEmpty(bonusDays) ? 0 : bonusDays, storedStreak(streak)];
  return JSON.stringify(stored);
}

function storedStreak({ rules, folded, foldedSteps, paidSteps, payments }: StreakHistory): StoredStreak | 0 {
  const { days, missed, counted, steps } = foldedSteps;
  const stored: StoredStreak = [
    rules === null ? 0 : [rules.every, rules.forgive],
    folded.days === 0 ? 0 : [folded.days, folded.missed],
    days === 0 && steps === 0 ? 0 : [days, missed, counted, steps],
    paidSteps,
    payments,
  ];
  return stored.every((part) => part === 0) ? 0 : stored;
}

/** Throws an Error if it is not a history. Only its shape is checked: no other program writes it. */
export function parseHistory(text: string): VoteHistory {
  const value: unknown = JSON.parse(text);
  if (!isStoredHistory(value)) throw new Error('balances.history is not a history of votes.');
  const [votes, start, days, bonusDays, streak] = value;
  return {
    votes,
    start,
    days,
    bonusDays: bonusDays === 0 ? noDays : bonusDays,
    streak: streak === 0 ? emptyHistory.streak : parseStreak(streak),
  };
}

function isStoredHistory(value: unknown): value is StoredHistory {
  if (!Array.isArray(value) || value.length !== 5) return false;
  const [votes, start, days, bonusDays, streak] = value as readonly unknown[];
  return (
    typeof votes === 'number' &&
    (start === null || typeof start === 'number') &&
    typeof days === 'object' &&
    days !== null &&
    (bonusDays === 0 || Array.isArray(bonusDays)) &&
    (streak === 0 || (Array.isArray(streak) && streak.length === 5))
  );
}

function parseStreak([rules, folded, foldedSteps, paidSteps, payments]: StoredStreak): StreakHistory {
  const { streak } = emptyHistory;
  return {
    rules: rules === 0 ? null : { every: rules[0], forgive: rules[1] },
    folded: folded === 0 ? streak.folded : { days: folded[0], missed: folded[1] },
    foldedSteps:
      foldedSteps === 0
        ? streak.foldedSteps
        : { days: foldedSteps[0], missed: foldedSteps[1], counted: foldedSteps[2], steps: foldedSteps[3] },
    paidSteps,
    payments,
  };
}

/** Parses `balances.last_votes`. Throws an Error if it is not an object of times. */
export function parseLastVotes(text: string): LastVotes {
  const value: unknown = JSON.parse(text);
  if (!isObject(value) || !hasNumbers(value)) throw new Error('balances.last_votes is not an object of times.');
  return value;
}

/** Parses `balances.roles`. Throws an Error if it is not an array of Discord IDs. */
export function parseRoles(text: string): readonly string[] {
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
    throw new Error('balances.roles is not an array of ids.');
  }
  return value;
}

/**
 * A common table expression `linked`: the entry `newest` and, by following the links, all earlier entries of its
 * account, newest first. It is evaluated lazily: without a sort, only as many entries are read as the query needs. With several
 * newest entries, it has the entries of all their accounts.
 */
export function linkedEntries(
  db: Kysely<Tables>,
  newest: number | null | Expression<number | null> | readonly number[],
) {
  return db.withRecursive(
    'linked(id, account_id, listing, credits, cause, reason, at, delivery_id, previous, number, untimed, achievement)',
    (query) => {
      // A manually edited link could point forward, and form an endless loop. Ids may be in any order.
      const earlier = query
        .selectFrom('linked')
        .innerJoin('entries', (join) => join.onRef('entries.id', '=', 'linked.previous'))
        .where(({ eb }) => eb('entries.number', '<', ref('linked.number')));
      return query
        .selectFrom('entries')
        .select(entryColumns)
        .where((where) => {
          if (!isList(newest)) return where('entries.id', '=', newest);
          return newest.length === 0 ? where('entries.id', '=', null) : where('entries.id', 'in', newest);
        })
        .unionAll(earlier.select(entryColumns.map((column) => `entries.${column}` as const)));
    },
  );
}

function isList(newest: number | null | Expression<number | null> | readonly number[]): newest is readonly number[] {
  return Array.isArray(newest);
}

const ref = (column: string) => sql.ref<number>(column);

/** The id of an account's newest entry. */
export function newestEntryOf(db: Kysely<Tables>, accountId: AccountId) {
  return db.selectFrom('balances').select('last_entry').where('account_id', '=', accountId).$asScalar();
}
