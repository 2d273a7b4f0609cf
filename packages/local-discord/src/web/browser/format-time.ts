import { day, hour, minute, second } from '@tallyhook/platform/durations';

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

/**
 * @param at ms since the epoch
 * @param locale the default is the browser's
 */
export function formatTime(at: number, style: string, locale?: string): string {
  return new Intl.DateTimeFormat(locale, styles[style] ?? styles['f']).format(at);
}

/**
 * "in 3 hours", "2 minutes ago".
 *
 * @param at ms since the epoch
 * @param now ms since the epoch
 * @param locale the default is the browser's
 */
export function formatRelative(at: number, now: number, locale?: string): string {
  const duration = Math.round((at - now) / second) * second;
  const [unit, size] = units.find(([, length]) => Math.abs(duration) >= length) ?? ['second', second];
  return new Intl.RelativeTimeFormat(locale, { numeric: 'always' }).format(Math.round(duration / size), unit);
}

/**
 * The time of a message in Discord's format: "13:43", "Yesterday at 13:43", "01/02/2026, 13:43".
 *
 * @param at ms since the epoch
 * @param now ms since the epoch
 */
export function formatMessageTime(at: number, now: number, locale?: string): string {
  const days = Math.round((startOfDay(now) - startOfDay(at)) / day);
  if (days === 0) return formatTime(at, 't', locale);
  if (days === 1) return yesterdayAt(formatTime(at, 't', locale), locale);
  return new Intl.DateTimeFormat(locale, { dateStyle: 'short', timeStyle: 'short' }).format(at);
}

function yesterdayAt(time: string, locale: string | undefined): string {
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const yesterday = format.format(-1, 'day').replace(/^./u, (first) => first.toLocaleUpperCase(locale));
  return format.resolvedOptions().locale.startsWith('en') ? `${yesterday} at ${time}` : `${yesterday} ${time}`;
}

function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}
