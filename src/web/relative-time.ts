import { day, hour, minute } from '../platform/durations.ts';
import { type Html, html } from './html.ts';

/**
 * A moment (ms since the epoch) as a reader likes it, with the exact one behind it. Without JavaScript the reader's
 * time zone is unknown: UTC.
 */
export function moment(at: number): Html {
  return cutTo('2026-01-31T12:00'.length, at);
}

/** The same to the second, where one thing follows upon another. */
export function exactMoment(at: number): Html {
  return cutTo('2026-01-31T12:00:00'.length, at);
}

function cutTo(length: number, at: number): Html {
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}" title="${iso}">${iso.slice(0, length).replace('T', ' ')} UTC</time>`;
}

/** How long ago something was (both in ms since the epoch), in the largest unit that fits. */
export function ago(at: number, now: number): Html {
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}" title="${iso}">${passed(now - at)}</time>`;
}

function passed(duration: number): string {
  if (duration < minute) return 'just now';
  if (duration < hour) return `${counted(Math.floor(duration / minute), 'minute')} ago`;
  if (duration < day) return `${counted(Math.floor(duration / hour), 'hour')} ago`;
  return `${counted(Math.floor(duration / day), 'day')} ago`;
}

/** A wait (ms) in words, to the minute and rounded up, so that it never promises too much: "11 hours 59 minutes". */
export function span(duration: number): string {
  const minutes = Math.ceil(duration / minute);
  const hours = Math.floor((minutes * minute) / hour);
  if (hours === 0) return counted(minutes, 'minute');
  const rest = minutes % 60;
  return rest === 0 ? counted(hours, 'hour') : `${counted(hours, 'hour')} ${counted(rest, 'minute')}`;
}

const plural = new Intl.PluralRules('en');

/** "1 vote", "2 votes", with grouped digits. @param units the plural, where an "s" does not make it */
export function counted(count: number, unit: string, units = `${unit}s`): string {
  return `${count.toLocaleString('en')} ${plural.select(count) === 'one' ? unit : units}`;
}
