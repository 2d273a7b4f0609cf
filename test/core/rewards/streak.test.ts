import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Calendar, createCalendar } from '../../../src/core/rewards/calendar.ts';
import { emptyHistory, type VoteHistory } from '../../../src/core/rewards/history.ts';
import { type StreakContext, streakOn as streakOnDay } from '../../../src/core/rewards/streak.ts';
import { drawnDays, firstDay, historyOf } from './vote-days.ts';

const dayMs = 86_400_000;
const calendar = createCalendar('UTC');

/** The streak at a time, and when it ends (ms since the epoch). */
function currentStreak(history: VoteHistory, context: StreakContext & { calendar: Calendar; now: number }) {
  const { days, lastDay } = streakOnDay(history, context.calendar.dayAt(context.now), context);
  return { days, endsAt: days === 0 ? null : context.calendar.startOf(lastDay + 1) };
}

/** The days of a streak on the last day of a drawing by definition: `.` on that day may still become a vote. */
function daysByDefinition(drawing: string, forgive: number): number {
  let [days, missed]: [number, number[]] = [0, []];
  for (const [day, mark] of Array.from(drawing).entries()) {
    if (mark === 'x') days += 1;
    else if (mark === '.' && days > 0 && day < drawing.length - 1) missed.push(day);
    if (missed.filter((each) => each > day - 7).length > forgive) [days, missed] = [0, []];
  }
  return days;
}

describe('a streak', () => {
  it('has the days of its definition on each day, and ends with the day after which it has none', () => {
    const mark = fc.constantFrom('x', 'x', 'x', 'x', 'x', '.', 'o');
    const times = fc.constantFrom(1, 1, 1, 1, 1, 1, 2, 3, 40, 200);
    const drawings = fc.array(fc.tuple(mark, times), { minLength: 1, maxLength: 80, size: 'max' });
    fc.assert(
      fc.property(drawings, fc.integer({ min: 0, max: 6 }), (runs, forgive) => {
        const drawing = `x${runs.map(([each, length]) => each.repeat(length)).join('')}`;
        const drawn = drawnDays(drawing);
        const today = firstDay + drawing.length - 1;
        const history = historyOf(drawn, { every: 7, credits: 50, forgive });
        const context = { calendar, now: (today + 0.5) * dayMs, forgive, outageDays: drawn.outageDays };
        const days = daysByDefinition(drawing, forgive);
        let ends = 1;
        while (daysByDefinition(drawing + '.'.repeat(ends), forgive) > 0) ends += 1;
        const endsAt = days === 0 ? null : (today + ends) * dayMs;
        expect(currentStreak(history, context)).toEqual({ days, endsAt });
      }),
      { numRuns: 500 },
    );
  });

  it('does not exist before the first vote', () => {
    const context = { calendar, now: 0, forgive: 1, outageDays: new Set<number>() };
    expect(currentStreak(emptyHistory, context)).toEqual({ days: 0, endsAt: null });
  });

  it('includes a vote of tomorrow if the clock of the service is ahead', () => {
    const drawn = drawnDays('xxx');
    const context = { calendar, now: (firstDay + 2) * dayMs - 1, forgive: 0, outageDays: drawn.outageDays };
    const endsAt = (firstDay + 4) * dayMs;
    expect(currentStreak(historyOf(drawn, { every: 7, credits: 50, forgive: 0 }), context)).toEqual({
      days: 3,
      endsAt,
    });
  });

  it('ends at midnight of the community, also when clocks change', () => {
    const berlin = createCalendar('Europe/Berlin');
    const now = Date.parse('2026-03-28T12:00:00Z');
    const counted = [berlin.dayAt(now)];
    const history = historyOf({ counted, outageDays: new Set() }, { every: 7, credits: 50, forgive: 0 });
    const { endsAt } = currentStreak(history, { calendar: berlin, now, forgive: 0, outageDays: new Set() });
    expect(new Date(endsAt ?? 0).toISOString()).toBe('2026-03-29T22:00:00.000Z');
  });
});
