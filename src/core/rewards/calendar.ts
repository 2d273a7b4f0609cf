import { day as dayMs, hour, minute, second } from '@tallyhook/platform/durations';
import type { Period, Weekday } from './rules.ts';

/**
 * The calendar of a community. A calendar day is its number: days since 1970-01-01, so that arithmetic needs no time
 * zone.
 */
export interface Calendar {
  /** The day of a time (ms since the epoch). */
  dayAt(at: number): number;
  /** The first moment of a day (ms since the epoch). For display: searches, about 20 µs. */
  startOf(day: number): number;
  /** The local time at a time, and the time at a local time, which is written as if it were UTC (ms since the epoch). */
  toLocal(at: number): number;
  fromLocal(local: number): number;
}

/** Time within which the UTC offset rarely changes (ms). */
const slotMs = 15 * minute;
/** Slots with a known offset, 42 days of them. All are forgotten when there are more. */
const maxSlots = 4_096;
/** The local date differs from the UTC date by less than this. */
const maxOffsetMs = 15 * hour;

/**
 * The calendar of a time zone. A day lookup takes less than 1 µs near earlier ones, and some µs elsewhere.
 * Throws a RangeError if the time zone is unknown.
 *
 * @param timeZone IANA name, such as `Europe/Berlin`
 */
export function createCalendar(timeZone: string): Calendar {
  // Most communities have it, and Intl takes 10 ms of the start until its first format is there.
  const offsetAt = timeZone === 'UTC' ? () => 0 : offsetsOf(timeZone);

  function dayAt(at: number): number {
    return Math.floor((at + offsetAt(at)) / dayMs);
  }

  /** A search, because some days have no midnight. */
  function startOf(day: number): number {
    let before = day * dayMs - maxOffsetMs;
    let start = day * dayMs + maxOffsetMs;
    while (start - before > 1) {
      const middle = Math.floor((before + start) / 2);
      if (dayAt(middle) >= day) start = middle;
      else before = middle;
    }
    return start;
  }

  const toLocal = (at: number) => at + offsetAt(at);
  /** The second time, the offset is that of the result, unless the clocks are changed there. */
  const fromLocal = (local: number) => local - offsetAt(local - offsetAt(local));
  return { dayAt, startOf, toLocal, fromLocal };
}

/** Returns the function that tells the local time minus UTC at a time (both in ms). */
function offsetsOf(timeZone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const offsets = new Map<number, number | null>();

  /** The offset of a slot is used only if it is the same at both ends: some clocks change one minute past the hour. */
  return (at) => {
    const slot = Math.floor(at / slotMs);
    let offset = offsets.get(slot);
    if (offset === undefined) {
      const atStart = utcOffset(format, slot * slotMs);
      offset = atStart === utcOffset(format, (slot + 1) * slotMs) ? atStart : null;
      if (offsets.size >= maxSlots) offsets.clear();
      offsets.set(slot, offset);
    }
    return offset ?? utcOffset(format, at);
  };
}

/** Local time minus UTC (ms). */
function utcOffset(format: Intl.DateTimeFormat, at: number): number {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of format.formatToParts(at)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour: hours = 0, minute: minutes = 0, second: seconds = 0 } = parts;
  const local = Date.UTC(year, month - 1, day) + hours * hour + minutes * minute + seconds * second;
  return local - Math.floor(at / second) * second;
}

/** The day of the week of a day. */
export function weekdayOf(day: number): Weekday {
  // Day 0 is a Thursday.
  return (((((day + 3) % 7) + 7) % 7) + 1) as Weekday;
}

/** The Monday of a day's week (day number). */
export function weekOf(day: number): number {
  return day - weekdayOf(day) + 1;
}

/** The first day of a day's month (day number). */
export function monthOf(day: number): number {
  return day - new Date(day * dayMs).getUTCDate() + 1;
}

/** The first day of the period of a day, and the day after its last (day numbers). */
export function periodDays(per: Period, day: number): readonly [first: number, end: number] {
  const first = per === 'week' ? weekOf(day) : monthOf(day);
  // Day 31 after the first is always in the next month.
  return [first, per === 'week' ? first + 7 : monthOf(first + 31)];
}

/** The period of a day as `week 2026-W02` or `month 2026-01`. */
export function formatPeriod(per: Period, day: number): string {
  return `${per} ${per === 'week' ? formatWeek(day) : formatMonth(day)}`;
}

/** A calendar week or month of a community, in days. */
export interface CalendarPeriod {
  readonly per: Period;
  /** The ISO 8601 week or the month, as `2026-W02` or `2026-01`. */
  readonly id: string;
  /** The first day (day number). */
  readonly firstDay: number;
  /** The day after the last one (day number). */
  readonly endDay: number;
}

/** The period that contains a day (day number). */
export function periodOf(per: Period, day: number): CalendarPeriod {
  const [firstDay, endDay] = periodDays(per, day);
  return { per, id: per === 'week' ? formatWeek(day) : formatMonth(day), firstDay, endDay };
}

/** When a period begins, ends (exclusive) and is settled (ms since the epoch). */
export interface PeriodTimes {
  readonly startsAt: number;
  readonly endsAt: number;
  readonly settlesAt: number;
}

/** After the end of a period, its last votes may arrive for so long (ms). */
export const settlementDelayMs = hour;

/** The times of a period in the time zone of a calendar, also where the clocks change in it. Takes some 40 µs. */
export function timesOf(
  { firstDay, endDay }: Pick<CalendarPeriod, 'firstDay' | 'endDay'>,
  calendar: Pick<Calendar, 'startOf'>,
): PeriodTimes {
  const endsAt = calendar.startOf(endDay);
  return { startsAt: calendar.startOf(firstDay), endsAt, settlesAt: endsAt + settlementDelayMs };
}

/** A day as `2026-01-07`. */
export function formatDay(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, -14);
}

/** The ISO 8601 week of a day as `2026-W02`. A week belongs to the year of its Thursday. */
export function formatWeek(day: number): string {
  const thursday = weekOf(day) + 3;
  const year = new Date(thursday * dayMs).getUTCFullYear();
  const week = Math.floor((thursday - Date.UTC(year, 0) / dayMs) / 7) + 1;
  return `${year}-W${String(week).padStart(2, '0')}`;
}

/** The month of a day as `2026-01`. */
export function formatMonth(day: number): string {
  return formatDay(day).slice(0, -3);
}

/*
 * A window of 128 calendar days as four words of 32 bits, so its size does not depend on how often a member votes. It
 * begins at a multiple of 32 days: moving it drops whole words. Bit `n % 32` of word `n / 32` is day `start + n`.
 */

/** Days per word. */
const wordDays = 32;
/** Words of a window. */
const windowWords = 4;

/** A set of days in a window: signed 32-bit words, oldest first. A word with every day is -1, which is short in JSON. */
export type DaySet = readonly number[];

/** Days of a window. */
export const windowDays = windowWords * wordDays;

export const noDays: DaySet = Array<number>(windowWords).fill(0);

/** The first day of the window whose newest day this is. */
export function windowStart(newestDay: number): number {
  return (Math.floor(newestDay / wordDays) - windowWords + 1) * wordDays;
}

/** @param offset days since the start of the window; false outside of it */
export function hasDay(days: DaySet, offset: number): boolean {
  return (((days[offset >>> 5] ?? 0) >>> (offset & 31)) & 1) === 1;
}

/** @param offset days since the start of the window, 0 to 127 */
export function withDay(days: DaySet, offset: number): DaySet {
  return days.with(offset >>> 5, (days[offset >>> 5] ?? 0) | (1 << (offset & 31)));
}

/** The days that are still in a window that starts `shift` days later, a multiple of 32. */
export function moveWindow(days: DaySet, shift: number): DaySet {
  const dropped = shift / wordDays;
  return dropped >= windowWords ? noDays : [...days.slice(dropped), ...noDays.slice(0, dropped)];
}

export function unionOf(sets: readonly DaySet[]): DaySet {
  return sets.length === 1
    ? (sets[0] ?? noDays)
    : noDays.map((_, word) => sets.reduce((bits, days) => bits | (days[word] ?? 0), 0));
}

export function isEmpty(days: DaySet): boolean {
  return days.every((word) => word === 0);
}

/** Days from the start of the window to its first day in the set; -1 if it is empty. */
export function firstDayOffset(days: DaySet): number {
  const word = days.findIndex((bits) => bits !== 0);
  const bits = days[word] ?? 0;
  return word === -1 ? -1 : word * wordDays + 31 - Math.clz32(bits & -bits);
}

/** Days from the start of the window to its last day in the set; -1 if it is empty. */
export function lastDayOffset(days: DaySet): number {
  const word = days.findLastIndex((bits) => bits !== 0);
  return word === -1 ? -1 : word * wordDays + 31 - Math.clz32(days[word] ?? 0);
}

/** A time in which no delivery could be received (ms since the epoch). */
export interface Outage {
  readonly from: number;
  readonly until: number;
}

/** Days with at least this much of it are forgiven (ms). */
const forgivenMs = 6 * hour;

/** The days on which receiving was down for six hours or more (day numbers). The outages do not overlap. */
export function outageDays(outages: readonly Outage[], calendar: Calendar): ReadonlySet<number> {
  const downMs = new Map<number, number>();
  for (const { from, until } of outages) {
    const lastDay = calendar.dayAt(until);
    for (let day = calendar.dayAt(from); day <= lastDay; day += 1) {
      const ms = Math.min(until, calendar.startOf(day + 1)) - Math.max(from, calendar.startOf(day));
      downMs.set(day, (downMs.get(day) ?? 0) + ms);
    }
  }
  return new Set([...downMs].filter(([, ms]) => ms >= forgivenMs).map(([day]) => day));
}

/** The score of a member in one calendar period of the community. */
interface PeriodScore {
  /** First day of the period (day number); 0 before the first vote. */
  readonly start: number;
  /** Counted votes, by their own time. */
  readonly votes: number;
  /** Credits that these votes and premium events earned, with all rewards. */
  readonly credits: number;
}

/** The scores of a member in the newest periods with a score, for the leaderboards of this week and this month. */
export interface PeriodScores {
  readonly week: PeriodScore;
  readonly month: PeriodScore;
}

const noScore: PeriodScore = { start: 0, votes: 0, credits: 0 };
export const noScores: PeriodScores = { week: noScore, month: noScore };

/**
 * The scores after an event. An event of an earlier period than the newest one changes nothing: only the current
 * periods have a leaderboard.
 * @param day the calendar day of the event (day number)
 */
export function addToScores({ week, month }: PeriodScores, day: number, votes: number, credits: number): PeriodScores {
  return { week: add(week, weekOf(day), votes, credits), month: add(month, monthOf(day), votes, credits) };
}

function add(score: PeriodScore, start: number, votes: number, credits: number): PeriodScore {
  if (start < score.start) return score;
  const { votes: earlierVotes, credits: earlierCredits } = start === score.start ? score : noScore;
  return { start, votes: earlierVotes + votes, credits: earlierCredits + credits };
}
