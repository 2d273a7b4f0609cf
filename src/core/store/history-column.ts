import { isEmpty, noDays } from '../rewards/day-window.ts';
import { emptyHistory, type StreakHistory, type VoteHistory } from '../rewards/history.ts';

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
