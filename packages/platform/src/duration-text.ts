import { day, hour, minute, second } from './durations.ts';

/** `90s`, `30m`, `12h` or `7d`. */
export const durationPattern = /^\d{1,9}[smhd]$/;

/** Completes "Set it to …" and "it must be …". */
export const expectedDuration = 'a duration such as 90s, 30m, 12h or 7d, greater than 0 and at most 3650d';

const unitsMs: Readonly<Record<string, number>> = { s: second, m: minute, h: hour, d: day };
const maxMs = 3_650 * day;

/** A duration in ms; NaN if the text does not match {@link durationPattern}. */
export function parseDuration(text: string): number {
  return durationPattern.test(text) ? Number(text.slice(0, -1)) * (unitsMs[text.slice(-1)] ?? Number.NaN) : Number.NaN;
}

/** True if a duration (ms) is greater than 0 and at most ten years. */
export function isDurationInRange(duration: number): boolean {
  return duration > 0 && duration <= maxMs;
}

/** A duration (ms, whole seconds) in the largest unit that divides it: `12h`, `90s`. */
export function toDurationText(duration: number): string {
  const [unit, size] = Object.entries(unitsMs).findLast(([, length]) => duration % length === 0) ?? ['s', second];
  return `${duration / size}${unit}`;
}
