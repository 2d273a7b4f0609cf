import { formatAgo } from '../durations.ts';
import { type Html, html } from './html.ts';

/** A time (ms since the epoch) to the minute. In UTC: without JavaScript the reader's time zone is unknown. */
export function dateTime(at: number, locale?: string): Html {
  return timeElement(at, locale === undefined ? truncateTo('2026-01-31T12:00'.length, at) : formatDateTime(at, locale));
}

/** A time (ms since the epoch) to the second, for lists whose items follow each other closely. */
export function exactDateTime(at: number): Html {
  return timeElement(at, truncateTo('2026-01-31T12:00:00'.length, at));
}

/** How long ago something happened (both ms since the epoch), in the largest unit that fits. */
export function timeAgo(at: number, now: number, locale?: string): Html {
  return timeElement(at, formatAgo(at, now, locale));
}

function formatDateTime(at: number, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(at);
}

function truncateTo(length: number, at: number): string {
  return `${new Date(at).toISOString().slice(0, length).replace('T', ' ')} UTC`;
}

/** A time (ms since the epoch) as this text says it. */
export function timeElement(at: number, text: string): Html {
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}" title="${iso}">${text}</time>`;
}
