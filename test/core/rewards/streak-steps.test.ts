import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addVote, emptyHistory, withStreakRules } from '../../../src/core/rewards/history.ts';
import { streakRewards } from '../../../src/core/rewards/streak.ts';
import { type DrawnDays, drawnDays, firstDay } from './vote-days.ts';

/** Votes in the given order, and the reasons of the rewards by the vote that paid them. */
function payInOrder({ counted, outageDays }: DrawnDays, rules: { every: number; forgive: number }) {
  const streak = { ...rules, credits: 50 };
  let history = withStreakRules(emptyHistory, streak, outageDays);
  const paid: { day: number; reason: string | null; achievement: string | null }[] = [];
  for (const day of counted) {
    const step = streakRewards(addVote(history, 'server', day, outageDays), streak, day, outageDays);
    history = step.history;
    paid.push(...step.entries.map(({ reason, achievement }) => ({ day: day - firstDay + 1, reason, achievement })));
  }
  return { history, paid };
}

/**
 * The most steps that fit, by definition: tries all groups of `every` successive counted days and counts the missed days
 * of every seven days in each.
 */
function mostSteps({ counted, outageDays }: DrawnDays, { every, forgive }: { every: number; forgive: number }): number {
  const days = [...new Set(counted)].sort((a, b) => a - b);
  const isStep = (group: readonly number[]) => {
    const [first = 0, last = 0] = [group[0], group.at(-1)];
    const missed: number[] = [];
    for (let day = first; day <= last; day += 1) if (!group.includes(day) && !outageDays.has(day)) missed.push(day);
    return missed.every((end) => missed.filter((day) => day > end - 7 && day <= end).length <= forgive);
  };
  const most = [0];
  for (let length = 1; length <= days.length; length += 1) {
    const group = days.slice(Math.max(0, length - every), length);
    const withLast = group.length === every && isStep(group) ? (most[length - every] ?? 0) + 1 : 0;
    most.push(Math.max(most[length - 1] ?? 0, withLast));
  }
  return most.at(-1) ?? 0;
}

const calendarDays = fc
  .array(fc.constantFrom('x', 'x', 'x', 'x', '.', 'o'), { maxLength: 60 })
  .map((marks) => drawnDays(marks.join('')));
const stepRules = fc.record({ every: fc.integer({ min: 1, max: 9 }), forgive: fc.integer({ min: 0, max: 6 }) });

describe('the steps of a streak', () => {
  it('are as many as fit by definition', () => {
    fc.assert(
      fc.property(calendarDays, stepRules, (drawn, rules) => {
        const { history } = payInOrder(drawn, rules);
        expect(history.streak.paidSteps).toBe(mostSteps(drawn, rules));
      }),
      { numRuns: 1_000 },
    );
  });

  it('are the same in any order of arrival, and each is paid once', () => {
    const shuffled = calendarDays.chain((drawn) =>
      fc.record({
        drawn: fc.constant(drawn),
        order: fc.shuffledSubarray([...drawn.counted], { minLength: drawn.counted.length }),
      }),
    );
    fc.assert(
      fc.property(shuffled, stepRules, ({ drawn, order }, rules) => {
        const inTime = payInOrder(drawn, rules);
        const outOfOrder = payInOrder({ ...drawn, counted: order }, rules);
        expect(outOfOrder.history).toEqual(inTime.history);
        expect(outOfOrder.paid.length).toBe(inTime.paid.length);
        expect(new Set(outOfOrder.paid.map(({ achievement }) => achievement)).size).toBe(inTime.paid.length);
      }),
      { numRuns: 1_000 },
    );
  });

  it('never become fewer by another vote, also beyond the window', () => {
    const years = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 100, maxLength: 300 });
    fc.assert(
      fc.property(years, stepRules, (gaps, rules) => {
        let day = firstDay;
        const counted = gaps.map((gap) => (day += gap));
        const drawn = { counted, outageDays: new Set<number>() };
        expect(payInOrder(drawn, rules).history.streak.paidSteps).toBe(mostSteps(drawn, rules));
      }),
      { numRuns: 100 },
    );
  });

  it('that a late vote completes are paid then', () => {
    const { counted, outageDays } = drawnDays('xxx.xxx xxxxx.');
    const late = firstDay + 3;
    const { paid } = payInOrder({ counted: [...counted, late], outageDays }, { every: 7, forgive: 0 });
    // The seven days after the gap are paid on the eleventh. The late vote makes twelve days, still one step.
    expect(paid.map(({ day, reason }) => `${day}: ${reason}`)).toEqual(['11: 7 days on 2026-01-11']);
    const more = payInOrder(
      { counted: [...counted, firstDay + 12, firstDay + 13, late], outageDays },
      { every: 7, forgive: 0 },
    );
    expect(more.paid.map(({ day, reason }) => `${day}: ${reason}`)).toEqual([
      '11: 7 days on 2026-01-11',
      '4: 7 days on 2026-01-07',
    ]);
  });
});
