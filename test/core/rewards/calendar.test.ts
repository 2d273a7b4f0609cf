import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createCalendar,
  formatDay,
  formatMonth,
  formatWeek,
  monthOf,
  periodOf,
  timesOf,
  weekdayOf,
  weekOf,
} from '../../../src/core/rewards/calendar.ts';

const dayMs = 86_400_000;
const timeZones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  // Changed its clocks at 00:01.
  'America/St_Johns',
  // Has no midnight when clocks go forward.
  'Africa/Cairo',
  'Asia/Kathmandu',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  // Skipped 30 December 2011.
  'Pacific/Apia',
  // Moves its clocks by half an hour.
  'Australia/Lord_Howe',
];

/** The date in a time zone by another way than the calendar's. */
function localDate(timeZone: string, at: number): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(at);
}

const time = fc.integer({ min: Date.parse('1990-01-01T00:00:00Z'), max: Date.parse('2050-01-01T00:00:00Z') });
const day = fc.integer({ min: -50_000, max: 50_000 });

describe('the day of a time', () => {
  it.each(timeZones)('is the date in %s', (timeZone) => {
    const calendar = createCalendar(timeZone);
    const nearTransition = fc.constantFrom(
      '2006-04-02T03:31:00Z',
      '2006-10-29T02:31:00Z',
      '2011-12-30T10:00:00Z',
      '2026-03-29T01:00:00Z',
      '2026-04-23T22:00:00Z',
      '2026-04-04T15:00:00Z',
      '2026-10-25T01:00:00Z',
      '2026-10-29T21:00:00Z',
    );
    const times = fc.oneof(
      time,
      fc.tuple(nearTransition, fc.integer({ min: -7_200_000, max: 7_200_000 })).map(([at, by]) => Date.parse(at) + by),
    );
    fc.assert(
      fc.property(times, (at) => {
        expect(formatDay(calendar.dayAt(at))).toBe(localDate(timeZone, at));
      }),
      { numRuns: 150 },
    );
  });

  it('needs a known time zone', () => {
    expect(() => createCalendar('Europe/Atlantis')).toThrow(RangeError);
  });
});

describe('the start of a day', () => {
  it.each(timeZones)('in %s is the first moment of that day', (timeZone) => {
    const calendar = createCalendar(timeZone);
    fc.assert(
      fc.property(fc.integer({ min: 16_000, max: 25_000 }), (number) => {
        const start = calendar.startOf(number);
        expect(calendar.dayAt(start)).toBe(number);
        expect(calendar.dayAt(start - 1)).toBe(number - 1);
      }),
      { numRuns: 40 },
    );
  });

  it('is at one o’clock where clocks skip midnight', () => {
    const start = createCalendar('Africa/Cairo').startOf(Date.parse('2026-04-24T00:00:00Z') / dayMs);
    expect(new Date(start).toISOString()).toBe('2026-04-23T22:00:00.000Z');
  });
});

describe('weeks and months', () => {
  it.each([
    ['2026-01-01', 4, '2026-W01', '2025-12-29', '2026-01-01'],
    ['2025-12-31', 3, '2026-W01', '2025-12-29', '2025-12-01'],
    ['2027-01-03', 7, '2026-W53', '2026-12-28', '2027-01-01'],
    ['2027-01-04', 1, '2027-W01', '2027-01-04', '2027-01-01'],
    ['2024-02-29', 4, '2024-W09', '2024-02-26', '2024-02-01'],
    ['1969-12-31', 3, '1970-W01', '1969-12-29', '1969-12-01'],
  ])('of %s', (date, weekday, week, monday, first) => {
    const number = Date.parse(`${date}T00:00:00Z`) / dayMs;
    expect(weekdayOf(number)).toBe(weekday);
    expect(formatWeek(number)).toBe(week);
    expect(formatDay(weekOf(number))).toBe(monday);
    expect(formatDay(monthOf(number))).toBe(first);
    expect(formatMonth(number)).toBe(date.slice(0, 7));
  });

  it('contain all of their days, and begin the day after the previous one ends', () => {
    fc.assert(
      fc.property(day, (number) => {
        expect(weekdayOf(weekOf(number))).toBe(1);
        expect(number - weekOf(number)).toBe(weekdayOf(number) - 1);
        expect(formatWeek(weekOf(number) + 6)).toBe(formatWeek(number));
        expect(formatWeek(weekOf(number) + 7)).not.toBe(formatWeek(number));
        expect(formatMonth(monthOf(number))).toBe(formatMonth(number));
        expect(formatMonth(monthOf(number) - 1)).not.toBe(formatMonth(number));
      }),
    );
  });
});

describe('a period', () => {
  it.each([
    // Summer time begins on the last day of March in 2024, and ends in the week of 27 October.
    ['Europe/Berlin', 'month', '2024-03-31', '2024-03', '2024-02-29T23:00Z', '2024-03-31T22:00Z', '2024-03-31T23:00Z'],
    ['Europe/Berlin', 'week', '2024-10-27', '2024-W43', '2024-10-20T22:00Z', '2024-10-27T23:00Z', '2024-10-28T00:00Z'],
    // The clocks go back an hour after its end, and forward on its last day.
    ['America/Havana', 'month', '2026-10-15', '2026-10', '2026-10-01T04:00Z', '2026-11-01T04:00Z', '2026-11-01T05:00Z'],
    [
      'America/Asuncion',
      'week',
      '2023-09-30',
      '2023-W39',
      '2023-09-25T04:00Z',
      '2023-10-02T03:00Z',
      '2023-10-02T04:00Z',
    ],
    ['UTC', 'week', '2027-01-03', '2026-W53', '2026-12-28T00:00Z', '2027-01-04T00:00Z', '2027-01-04T01:00Z'],
  ] as const)('in %s, %s of %s', (timeZone, per, date, id, startsAt, endsAt, settlesAt) => {
    const period = periodOf(per, Date.parse(`${date}T00:00:00Z`) / dayMs);
    expect(period).toMatchObject({ per, id });
    const times = timesOf(period, createCalendar(timeZone));
    expect(times).toEqual({
      startsAt: Date.parse(startsAt),
      endsAt: Date.parse(endsAt),
      settlesAt: Date.parse(settlesAt),
    });
  });

  it.each(timeZones)('ends where the next one begins in %s', (timeZone) => {
    const calendar = createCalendar(timeZone);
    fc.assert(
      fc.property(fc.constantFrom('week', 'month'), fc.integer({ min: 14_000, max: 25_000 }), (per, number) => {
        const period = periodOf(per, number);
        const next = periodOf(per, period.endDay);
        expect(next.firstDay).toBe(period.endDay);
        expect(next.id > period.id).toBe(true);
        expect(timesOf(next, calendar).startsAt).toBe(timesOf(period, calendar).endsAt);
      }),
      { numRuns: 20 },
    );
  });
});
