import { type Account, type AccountId, type LastVotes, memberOf, withVote } from '../ledger/account.ts';
import { type Entry, isCountedVote } from '../ledger/entry.ts';
import { noScores, type PeriodScores } from '../rewards/calendar.ts';
import { emptyHistory, type VoteHistory } from '../rewards/history.ts';
import type { StreakInDays } from '../rewards/streak.ts';

/** A user's account with everything that the next entry depends on, so that earlier entries need not be read. */
export interface AccountState extends Account {
  readonly id: AccountId;
  readonly lastVotes: LastVotes;
  /** ID of the newest entry, which links to the entry before it. Null before the first entry. */
  readonly lastEntry: number | null;
  /** Number of the newest entry, counted from 1. */
  readonly entries: number;
  readonly history: VoteHistory;
  readonly scores: PeriodScores;
  /** The streak after the latest vote. */
  readonly streak: StreakInDays;
  /** The roles last seen of the member that a rule names, such as a multiplier (Discord IDs). */
  readonly roles: readonly string[];
  readonly marks: Marks;
}

/** The columns in which features note something about an account, so that a vote need not read a table of theirs. */
export const markNames = ['reminder', 'role_connection'] as const;
/** A number of the feature, 0 for nothing, by the names of the columns. */
export type Marks = Readonly<Record<(typeof markNames)[number], number>>;
export const noMarks: Marks = { reminder: 0, role_connection: 0 };

/** The marks of a row. */
export function marksOf({ reminder, role_connection }: Marks): Marks {
  return { reminder, role_connection };
}

/** In the order of their names. */
export function markValues({ reminder, role_connection }: Marks): readonly number[] {
  return [reminder, role_connection];
}

/** An account without entries. */
export function emptyAccount(id: AccountId): AccountState {
  return {
    id,
    userId: memberOf(id),
    credits: 0,
    votes: 0,
    lastVotes: {},
    lastEntry: null,
    entries: 0,
    history: emptyHistory,
    scores: noScores,
    streak: { days: 0, lastDay: 0 },
    roles: [],
    marks: noMarks,
  };
}

/** True if nothing would be lost with the account. A balance that was imported by hand has no entries either. */
export function isEmpty({ credits, votes, lastEntry, roles, marks }: AccountState): boolean {
  const isMarked = markNames.some((name) => marks[name] !== 0);
  return credits === 0 && votes === 0 && lastEntry === null && roles.length === 0 && !isMarked;
}

/** The account after the entry with the given ID. */
export function withEntry(account: AccountState, entry: Entry, id: number): AccountState {
  const { credits, votes, lastVotes, entries } = account;
  const isCounted = isCountedVote(entry.cause);
  return {
    ...account,
    credits: credits + entry.credits,
    votes: votes + (isCounted ? 1 : 0),
    lastVotes: isCounted && entry.listing !== null ? withVote(lastVotes, entry.listing, entry.at) : lastVotes,
    lastEntry: id,
    entries: entries + 1,
  };
}
