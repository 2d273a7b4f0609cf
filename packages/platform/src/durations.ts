import { once } from './memoize.ts';

/** Units of time (ms). */
export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

type Unit = 'day' | 'hour' | 'minute' | 'second';

const units: readonly (readonly [Unit, number])[] = [
  ['day', day],
  ['hour', hour],
  ['minute', minute],
  ['second', second],
];

// Created for the first text: together they take 15 ms, and most importers need only the units.
// Pure, so that bundles leave out what they do not use.
const plurals = /* @__PURE__ */ once(() => new Intl.PluralRules('en'));
const integers = /* @__PURE__ */ once(() => new Intl.NumberFormat('en'));

function countOf(count: number, unit: Unit, locale = 'en'): string {
  return count.toLocaleString(locale, { style: 'unit', unit, unitDisplay: 'long' });
}

/** `1 vote`, `2,000 votes`. @param other the plural, if it is not formed by appending an "s" */
export function formatCount(count: number, one: string, other = `${one}s`): string {
  return `${integers().format(count)} ${pluralize(count, one, other)}`;
}

/** The noun, verb or phrase that agrees with the count. */
export function pluralize(count: number, one: string, other = `${one}s`): string {
  return plurals().select(Math.abs(count)) === 'one' ? one : other;
}

/** A duration (ms) in the largest unit that fits, rounded down: `3 hours`. Less than a second is `0 seconds`. */
export function formatDuration(duration: number, locale?: string): string {
  const [unit, size] = units.find(([, length]) => duration >= length) ?? ['second', second];
  return countOf(Math.max(0, Math.floor(duration / size)), unit, locale);
}

/** A duration (ms) in the largest unit that divides it: `36 hours`. Less than a second is `0 seconds`. */
export function formatExactly(duration: number, locale?: string): string {
  const [unit, size] = units.find(([, length]) => duration >= length && duration % length === 0) ?? ['second', second];
  return countOf(Math.max(0, Math.floor(duration / size)), unit, locale);
}

/** A wait (ms) in hours and minutes, rounded up: `11 hours 59 minutes`. */
export function formatWait(duration: number, locale?: string): string {
  const total = Math.ceil(duration / minute);
  const [hours, minutes] = [Math.floor(total / 60), total % 60];
  const parts = [
    hours > 0 && countOf(hours, 'hour', locale),
    (minutes > 0 || hours === 0) && countOf(minutes, 'minute', locale),
  ];
  return parts.filter(Boolean).join(' ');
}

/** How long ago something happened (both ms since the epoch): `3 hours ago`; less than a minute ago is `just now`. */
export function formatAgo(at: number, now: number, locale = 'en'): string {
  const [unit, size] = units.find(([, length]) => now - at >= length) ?? ['second', second];
  if (unit !== 'second') return new Intl.RelativeTimeFormat(locale).format(-Math.floor((now - at) / size), unit);
  return locale.startsWith('en')
    ? 'just now'
    : new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(0, unit);
}

/** How long a step took (ms), short: `4 ms`, `1.2 s`. */
export function formatElapsed(duration: number): string {
  return duration < second ? `${Math.round(duration)} ms` : `${(duration / second).toFixed(1)} s`;
}

/** A time as ISO 8601 in UTC. @param at ms since the epoch */
export function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
