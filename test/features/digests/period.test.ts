import { day, hour, minute, second } from '@tallyhook/platform/durations';
import { describe, expect, it } from 'vitest';
import { createCalendar } from '../../../src/core/rewards/calendar.ts';
import { intervalEnd, nextPeriod } from '../../../src/features/digests/store.ts';

const utc = createCalendar('UTC');
const berlin = createCalendar('Europe/Berlin');
/** A Monday. */
const monday = Date.UTC(2026, 0, 5);

describe('the intervals of digests', () => {
  it('start with the day of the community', () => {
    expect(intervalEnd(utc, hour, monday + 90 * minute)).toBe(monday + hour);
    expect(intervalEnd(utc, 7 * hour, monday + 23 * hour)).toBe(monday + 21 * hour);
    expect(intervalEnd(berlin, day, monday)).toBe(monday - hour);
    expect(intervalEnd(berlin, 12 * hour, monday + 12 * hour)).toBe(monday + 11 * hour);
    const nepal = createCalendar('Asia/Kathmandu');
    expect(intervalEnd(nepal, hour, monday)).toBe(monday - 45 * minute);
  });

  it('of weeks end on Mondays, and of days at midnight', () => {
    for (const days of [0, 1, 6]) expect(intervalEnd(utc, 7 * day, monday + days * day + hour)).toBe(monday);
    const ends = new Set([0, 1, 2, 3].map((days) => intervalEnd(utc, 2 * day, monday + days * day)));
    expect([...ends].every((end) => end % day === 0)).toBe(true);
    expect(ends.size).toBe(2);
  });

  it('are at the full hours of days with a change of the clock', () => {
    const change = Date.UTC(2026, 2, 29);
    const ends = [0, 1, 2, 3].map((hours) => intervalEnd(berlin, hour, change + hours * hour + minute));
    expect(ends).toEqual([0, 1, 2, 3].map((hours) => change + hours * hour));
  });
});

/** All periods of these days, if the loop runs all the time. */
function periodsOf(everyMs: number, { since, until }: { since: number; until: number }): (readonly [number, number])[] {
  const periods: (readonly [number, number])[] = [];
  let announcedUntil = intervalEnd(berlin, everyMs, since);
  for (let now = since; now <= until + minute; now += minute) {
    const period = nextPeriod(announcedUntil, { calendar: berlin, everyMs, now });
    if (period === null) continue;
    expect(period.from).toBe(announcedUntil);
    announcedUntil = period.until;
    periods.push([(period.from - since) / hour, (period.until - since) / hour]);
  }
  return periods;
}

describe('the periods of days on which the clock is set back', () => {
  const since = Date.UTC(2026, 9, 24, 22);

  it('have no digest of an hour beside those of a day or half a day', () => {
    const days = { since, until: since + 49 * hour };
    expect(periodsOf(day, days)).toEqual([
      [0, 25],
      [25, 49],
    ]);
    expect(periodsOf(12 * hour, { since, until: since + 37 * hour })).toEqual([
      [0, 12],
      [12, 25],
      [25, 37],
    ]);
    expect(periodsOf(hour, { since, until: since + 25 * hour })).toHaveLength(25);
  });

  it('leave out no hour of several days', () => {
    const weekStart = Date.UTC(2026, 9, 18, 22);
    expect(periodsOf(7 * day, { since: weekStart, until: weekStart + 169 * hour })).toEqual([[0, 169]]);
  });
});

describe('the next period', () => {
  const next = (announcedUntil: number | null, now: number, everyMs = hour) =>
    nextPeriod(announcedUntil, { calendar: utc, everyMs, now });

  it('is empty the first time', () => {
    expect(next(null, monday + minute)).toEqual({ from: monday, until: monday });
  });

  it('ends when deliveries of its last moment are stored', () => {
    expect(next(monday, monday + hour + 14 * second)).toBe(null);
    expect(next(monday, monday + hour + 15 * second)).toEqual({ from: monday, until: monday + hour });
    expect(next(monday + hour, monday + hour + 15 * second)).toBe(null);
  });

  it('covers a downtime, but at most a day or an interval', () => {
    expect(next(monday, monday + 5 * hour + minute)).toEqual({ from: monday, until: monday + 5 * hour });
    expect(next(monday, monday + 3 * day)).toEqual({ from: monday + 2 * day - hour, until: monday + 3 * day - hour });
    expect(next(monday, monday + 14 * day + minute, 7 * day)).toEqual({
      ...{ from: monday + 7 * day, until: monday + 14 * day },
    });
  });

  it('starts again after one that a clock which was ahead has written', () => {
    expect(next(monday + day, monday + hour)).toEqual({ from: monday, until: monday });
  });
});
