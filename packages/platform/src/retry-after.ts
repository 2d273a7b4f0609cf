import { second } from './durations.ts';

/**
 * The time (ms since the epoch) of a `Retry-After` header, in seconds or as a date; null if it is neither. Fractions of a
 * second are not in the standard, but are sent. RFC 9110, section 10.2.3.
 */
export function parseRetryAfter(header: string, now: number): number | null {
  const time = /^\d+(\.\d+)?$/.test(header.trim()) ? now + Math.ceil(Number(header) * second) : Date.parse(header);
  return Number.isNaN(time) ? null : time;
}
