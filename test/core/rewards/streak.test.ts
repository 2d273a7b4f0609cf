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

/** The streak at noon of the drawing's last day. `ends` counts days from it: 1 is the end of that day. */
function streakOn(drawing: string, forgive: number) {
  const drawn = drawnDays(drawing);
  const today = firstDay + drawing.replaceAll(' ', '').length - 1;
  const history = historyOf(drawn, { every: 7, credits: 50, forgive });
  const context = { calendar, now: (today + 0.5) * dayMs, forgive, outageDays: drawn.outageDays };
  const { days, endsAt } = currentStreak(history, context);
  return { days, ends: endsAt === null ? null : endsAt / dayMs - today };
}

describe('without forgiveness, a streak', () => {
  it.each([
    ['is one day after the first vote', 'x', 1, 2],
    ['waits for today’s vote until midnight', 'xxx.', 3, 1],
    ['ends with a missed day', 'xxx..', 0, null],
    ['is not broken by an outage, which adds nothing', 'xxxox', 4, 2],
    ['continues through an outage of many days', `x${'o'.repeat(200)}x`, 2, 2],
    ['waits while the outage lasts', 'xxoo', 2, 2],
    ['does not come back after a year', `xxx${'.'.repeat(365)}`, 0, null],
  ])('%s: %s', (_, drawing, days, ends) => {
    expect(streakOn(drawing, 0)).toEqual({ days, ends });
  });
});

it('starts anew after a gap, wherever it begins in the days that are kept', () => {
  for (let length = 1; length <= 32; length += 1)
    expect(streakOn(`${'x'.repeat(length)}${'.'.repeat(100)}x`, 0)).toEqual({ days: 1, ends: 2 });
});

describe('with one missed day forgiven in any seven, a streak', () => {
  it.each([
    ['lasts two days after a vote', 'x', 1, 3],
    ['survives a missed day, which adds nothing', 'xxx.x', 4, 2],
    ['is not broken by the missed day itself', 'xxx..', 3, 1],
    ['ends with two missed days', 'xxx...', 0, null],
    ['starts anew after a second missed day within seven', 'xxx.xx.x', 1, 3],
    ['does not remember a missed day from before it started', 'xxx.xx.x.x', 2, 2],
    ['starts anew if the second is six days after the first', 'xxx.xxxxx.x', 1, 3],
    ['survives if the second is seven days after the first', 'xxx.xxxxxx.x', 10, 2],
    ['lasts one day while a missed day is within seven of tomorrow', 'x.xxxxx', 6, 2],
    ['lasts two days again after that', 'x.xxxxxx', 7, 3],
    ['does not count an outage as missed', 'xxx.oxo.oox', 1, 3],
    ['survives an outage beside a missed day', 'xxx.ox', 4, 2],
    ['of a member who votes every other day has at most two days', 'x.'.repeat(60), 2, 1],
  ])('%s: %s', (_, drawing, days, ends) => {
    expect(streakOn(drawing, 1)).toEqual({ days, ends });
  });
});

describe('with two missed days forgiven in any seven, a streak', () => {
  it.each([
    ['starts anew after a third', 'x..x.x', 1, 4],
    ['starts anew after three missed days in a row', 'x...x', 1, 4],
  ])('%s: %s', (_, drawing, days, ends) => {
    expect(streakOn(drawing, 2)).toEqual({ days, ends });
  });
});

/** The counted days of the streak on the last counted day, by definition. */
function daysByDefinition(counted: readonly number[], forgive: number): number {
  let [days, missed]: [number, number[]] = [0, []];
  for (let day = counted[0] ?? 0; day <= (counted.at(-1) ?? -1); day += 1) {
    if (counted.includes(day)) days += 1;
    else if (days > 0) missed.push(day);
    if (missed.some((last) => missed.filter((each) => each > last - 7 && each <= last).length > forgive)) {
      [days, missed] = [0, []];
    }
  }
  return days;
}

describe('a streak', () => {
  it('of any length has the days of its definition', () => {
    const gaps = fc.array(fc.constantFrom(1, 1, 1, 1, 1, 1, 2, 3), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(gaps, fc.integer({ min: 0, max: 6 }), (steps, forgive) => {
        let day = firstDay;
        const counted = steps.map((gap) => {
          day += gap;
          return day;
        });
        const outageDays = new Set<number>();
        const history = historyOf({ counted, outageDays }, { every: 7, credits: 50, forgive });
        const { days } = currentStreak(history, { calendar, now: (day + 0.5) * dayMs, forgive, outageDays });
        expect(days).toBe(daysByDefinition(counted, forgive));
      }),
      { numRuns: 200 },
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
