import { minute } from '@tallyhook/platform/durations';
import type { Calendar } from '../../core/rewards/calendar.ts';

/**
 * When a member wants no reminders, every day: from one time until another, which may be on the next day. Minutes since
 * midnight by the clock of the community, different.
 */
export interface QuietHours {
  readonly from: number;
  readonly until: number;
}

const minutesPerDay = 24 * 60;

/** The reminders may come at this time (ms since the epoch), or when the quiet hours end that it is in. */
export function endOfQuiet({ from, until }: QuietHours, calendar: Pick<Calendar, 'toLocal'>, at: number): number {
  function isQuiet(time: number): boolean {
    const local = Math.floor(calendar.toLocal(time) / minute);
    const ofDay = ((local % minutesPerDay) + minutesPerDay) % minutesPerDay;
    return from < until ? ofDay >= from && ofDay < until : ofDay >= from || ofDay < until;
  }
  if (!isQuiet(at)) return at;
  // Minute by minute, because the clocks may be changed in between: at most a day and some hours, within a few ms.
  let end = (Math.floor(at / minute) + 1) * minute;
  while (isQuiet(end)) end += minute;
  return end;
}

const off = /^(?:off|none|no|0|-)$/;
const range = /^(\d{1,2})(?::?(\d{2}))? ?(am|pm)? ?(?:-|–|to|until) ?(\d{1,2})(?::?(\d{2}))? ?(am|pm)?$/;

/** The quiet hours in a text: "22-8", "22:30-07:00", "10pm-8am", or "off" (null). Undefined for anything else. */
export function parseQuietHours(typed: string): QuietHours | null | undefined {
  const text = typed.trim().toLowerCase().replace(/\s+/g, ' ');
  if (off.test(text)) return null;
  const [, fromHour, fromMinute, fromHalf, untilHour, untilMinute, untilHalf] = range.exec(text) ?? [];
  const from = minutesOf(fromHour, fromMinute, fromHalf);
  const until = minutesOf(untilHour, untilMinute, untilHalf);
  return from === null || until === null || from === until ? undefined : { from, until };
}

/** Minutes since midnight; null for no time. 24:00 is midnight. */
function minutesOf(hours = '', minutes = '0', half?: string): number | null {
  const hour = Number(hours || 'none');
  if (half !== undefined && (hour < 1 || hour > 12)) return null;
  const ofDay = half === undefined ? hour : (hour % 12) + (half === 'pm' ? 12 : 0);
  const total = ofDay * 60 + Number(minutes);
  return Number(minutes) < 60 && total <= minutesPerDay ? total % minutesPerDay : null;
}

/** Quiet hours as members read them: "22:00–8:00". */
export function formatQuietHours({ from, until }: QuietHours): string {
  return `${formatMinutes(from)}–${formatMinutes(until)}`;
}

function formatMinutes(minutes: number): string {
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
}
