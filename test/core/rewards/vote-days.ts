import { addVote, emptyHistory, type VoteHistory, withStreakRules } from '../../../src/core/rewards/history.ts';
import type { StreakRules } from '../../../src/core/rewards/rules.ts';

/** Number of 2026-01-01, a Thursday, which is the first day of a drawing. */
export const firstDay = 20_454;

/** A calendar such as `xx.ox`: `x` counted vote, `.` none, `o` no vote while receiving was down. */
export interface DrawnDays {
  readonly counted: readonly number[];
  readonly outageDays: ReadonlySet<number>;
}

/** Reads a drawing. Spaces are ignored. */
export function drawnDays(drawing: string): DrawnDays {
  const days = drawing
    .replaceAll(' ', '')
    .split('')
    .map((mark, index) => ({ mark, day: firstDay + index }));
  return {
    counted: days.filter(({ mark }) => mark === 'x').map(({ day }) => day),
    outageDays: new Set(days.filter(({ mark }) => mark === 'o').map(({ day }) => day)),
  };
}

/** The history of a member who voted on these days for one listing. */
export function historyOf({ counted, outageDays }: DrawnDays, rules: StreakRules): VoteHistory {
  return counted.reduce(
    (history, day) => addVote(history, 'server', day, outageDays),
    withStreakRules(emptyHistory, rules, outageDays),
  );
}
