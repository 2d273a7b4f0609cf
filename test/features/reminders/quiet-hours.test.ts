import { day, hour, minute } from '@tallyhook/platform/durations';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createCalendar } from '../../../src/core/rewards/calendar.ts';
import { endOfQuiet, formatQuietHours, parseQuietHours } from '../../../src/features/reminders/quiet-hours.ts';

/** Those whose clocks change at midnight, by half an hour, or at odd times are the hard ones. */
const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Santiago', 'Asia/Kathmandu', 'UTC'];

/** What a wall clock in the zone shows: minutes since midnight. */
function shownBy(zone: string): (at: number) => number {
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' });
  return (at) => {
    const [hours, minutes] = clock.format(at).split(':').map(Number);
    return (hours ?? 0) * 60 + (minutes ?? 0);
  };
}

it('end when a clock on the wall shows it, also across summer time', () => {
  const minutes = fc.nat(24 * 60 - 1);
  // A week around each change of the clocks in the north, and any other time of two years.
  const changes = [Date.UTC(2026, 2, 29), Date.UTC(2026, 9, 25), Date.UTC(2026, 2, 8), Date.UTC(2026, 3, 5)];
  const times = fc.oneof(
    fc.tuple(fc.constantFrom(...changes), fc.integer({ min: -2 * 24 * 60, max: 2 * 24 * 60 })),
    fc.tuple(fc.constant(Date.UTC(2026, 0, 1)), fc.nat(2 * 365 * 24 * 60)),
  );
  fc.assert(
    fc.property(fc.constantFrom(...zones), minutes, minutes, times, (zone, from, until, [base, offset]) => {
      fc.pre(from !== until);
      const at = base + offset * minute;
      const shown = shownBy(zone);
      // Quiet is what a clock passes on its way from one time to the other.
      const quiet = new Set<number>();
      for (let each = from; each !== until; each = (each + 1) % (24 * 60)) quiet.add(each);
      let expected = at;
      while (quiet.has(shown(expected))) expected += minute;
      expect(endOfQuiet({ from, until }, createCalendar(zone), at)).toBe(expected);
      expect(expected - at).toBeLessThan(day + 2 * hour);
    }),
    { numRuns: 60 },
  );
});

it.each([
  ['22-8', '22:00–8:00'],
  ['22:30-07:00', '22:30–7:00'],
  [' 10pm – 8AM ', '22:00–8:00'],
  ['12am-12pm', '0:00–12:00'],
  ['2230-0615', '22:30–6:15'],
  ['8 to 16', '8:00–16:00'],
  ['22-24', '22:00–0:00'],
])('are read as people write them: %s', (typed, shown) => {
  const quiet = parseQuietHours(typed);
  expect(quiet && formatQuietHours(quiet)).toBe(shown);
});

it('are none, or not understood', () => {
  expect(['off', ' Off ', 'none'].map(parseQuietHours)).toEqual([null, null, null]);
  const wrong = ['', '22', '22-25', '8-8', '13pm-1am', '22:60-8', 'at night', '-8', '0am-3am'];
  expect(wrong.map(parseQuietHours)).toEqual(wrong.map(() => undefined));
});
