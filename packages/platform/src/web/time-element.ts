import { formatAgo } from '../durations.ts';
import { type Html, html } from './html.ts';

/** True if a number of ms since the epoch is a time that can be written. A text from outside may contain any number. */
export function isTime(at: number): boolean {
  return !Number.isNaN(new Date(at).getTime());
}

/** In place of what is no time. */
const noTime = '–';

/** How a page writes times: in UTC unless it says whose they are, since the time zone of its reader is not known. */
export interface TimeStyle {
  readonly locale: string;
  readonly timeZone?: string;
}

/** A time (ms since the epoch) to the minute; without a style as `2026-01-31 12:00 UTC`. */
export function dateTime(at: number, style?: TimeStyle): Html {
  const format = style === undefined ? toMinute : (time: number) => formatDateTime(time, style);
  return timeElement(at, isTime(at) ? format(at) : noTime);
}

/** A time (ms since the epoch) to the second, for lists whose items follow each other closely. */
export function exactDateTime(at: number): Html {
  return timeElement(at, isTime(at) ? truncateTo('2026-01-31T12:00:00'.length, at) : noTime);
}

/** How long ago something happened (both ms since the epoch), in the largest unit that fits. */
export function timeAgo(at: number, now: number, locale?: string): Html {
  return timeElement(at, isTime(at) ? formatAgo(at, now, locale) : noTime);
}

function formatDateTime(at: number, { locale, timeZone = 'UTC' }: TimeStyle): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(at);
}

const toMinute = (at: number) => truncateTo('2026-01-31T12:00'.length, at);

function truncateTo(length: number, at: number): string {
  return `${new Date(at).toISOString().slice(0, length).replace('T', ' ')} UTC`;
}

/** A time (ms since the epoch) as this text says it; the text alone for what is no time. */
export function timeElement(at: number, text: string): Html {
  if (!isTime(at)) return html`${text}`;
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}" title="${iso}">${text}</time>`;
}
