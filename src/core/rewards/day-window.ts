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
