import type { Weekday } from '../src/core/rewards/rules.ts';

/** The names of the weekdays, from Monday to Sunday. */
export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
export type WeekdayName = (typeof weekdays)[number];

export function isoWeekday(name: WeekdayName): Weekday {
  return (weekdays.indexOf(name) + 1) as Weekday;
}

export function weekdayName(weekday: Weekday): WeekdayName {
  return weekdays[weekday - 1] ?? 'monday';
}
