import { day, hour, minute, second } from '../../../platform/durations.ts';

/** The absolute styles of `<t:…:style>`. Discord: "Message Formatting", timestamp styles. */
const styles: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  t: { timeStyle: 'short' },
  T: { timeStyle: 'medium' },
  d: { dateStyle: 'short' },
  D: { dateStyle: 'long' },
  f: { dateStyle: 'long', timeStyle: 'short' },
  F: { dateStyle: 'full', timeStyle: 'short' },
};

/** In ms, in descending order. */
const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * day],
  ['month', 30 * day],
  ['day', day],
  ['hour', hour],
  ['minute', minute],
  ['second', second],
];

/** @param at ms since the epoch */
export function formatTime(at: number, style: string): string {
  return new Intl.DateTimeFormat(undefined, styles[style] ?? styles['f']).format(at);
}

/**
 * "in 3 hours", "2 minutes ago".
 *
 * @param at ms since the epoch
 * @param now ms since the epoch
 */
export function formatRelative(at: number, now: number): string {
  const duration = Math.round((at - now) / second) * second;
  const [unit, size] = units.find(([, length]) => Math.abs(duration) >= length) ?? ['second', second];
  return new Intl.RelativeTimeFormat(undefined, { numeric: 'always' }).format(Math.round(duration / size), unit);
}

/**
 * The time of a message in Discord's format: "Today at 13:43".
 *
 * @param at ms since the epoch
 * @param now ms since the epoch
 */
export function formatMessageTime(at: number, now: number): string {
  const days = Math.round((startOfDay(now) - startOfDay(at)) / day);
  const time = formatTime(at, 't');
  if (days === 0) return `Today at ${time}`;
  return days === 1 ? `Yesterday at ${time}` : `${formatTime(at, 'd')} ${time}`;
}

function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}
