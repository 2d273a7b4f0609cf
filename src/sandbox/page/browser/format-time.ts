/** The styles of `<t:…:style>` that show a moment as such. Discord: "Message Formatting", timestamp styles. */
const styles: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  t: { timeStyle: 'short' },
  T: { timeStyle: 'medium' },
  d: { dateStyle: 'short' },
  D: { dateStyle: 'long' },
  f: { dateStyle: 'long', timeStyle: 'short' },
  F: { dateStyle: 'full', timeStyle: 'short' },
};

/** From the largest to the smallest (s). */
const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
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
  const seconds = Math.round((at - now) / 1000);
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return new Intl.RelativeTimeFormat(undefined, { numeric: 'always' }).format(Math.round(seconds / size), unit);
}

/**
 * The moment of a message, as Discord puts it beside the author: "Today at 13:43".
 *
 * @param at ms since the epoch
 * @param now ms since the epoch
 */
export function formatMessageTime(at: number, now: number): string {
  const days = Math.round((startOfDay(now) - startOfDay(at)) / 86_400_000);
  const time = formatTime(at, 't');
  if (days === 0) return `Today at ${time}`;
  return days === 1 ? `Yesterday at ${time}` : `${formatTime(at, 'd')} ${time}`;
}

function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}
