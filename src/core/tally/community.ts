import type { CommunityId } from '../ledger/account.ts';
import { type Calendar, createCalendar, type Outage, outageDays } from '../rewards/calendar.ts';

/** The community that a listing belongs to. Plain data. */
export interface CommunityContext {
  /** Discord ID of its server; null if it is not configured. Then no roles are given. */
  readonly guildId: string | null;
  /** Which accounts its members have. */
  readonly id: CommunityId;
  /** IANA name of the time zone of its calendar. */
  readonly timeZone: string;
  /** Names of all its listings; of those with one target only the first. */
  readonly listings: readonly string[];
  /**
   * The names of listings that are the same server or bot at the service: those that a guild has because they were
   * configured before that was checked, and those that were unlinked. A vote for one of them is a vote for all. By default
   * all are different.
   */
  readonly sameTarget?: readonly (readonly string[])[];
}

/** The names of the community's listings with the target of this one, itself included; the first represents all. */
export function namesOfTarget(
  { sameTarget }: Pick<CommunityContext, 'sameTarget'>,
  listing: string,
): readonly string[] {
  return sameTarget?.find((names) => names.includes(listing)) ?? [listing];
}

const calendars = new Map<string, Calendar>();

/** The calendar of a community, which remembers what it has computed. */
export function calendarOf({ timeZone }: Pick<CommunityContext, 'timeZone'>): Calendar {
  const calendar = calendars.get(timeZone) ?? createCalendar(timeZone);
  calendars.set(timeZone, calendar);
  return calendar;
}

const remembered = new Map<Calendar, { readonly newest: string; readonly days: ReadonlySet<number> }>();

/**
 * {@link outageDays}, computed only if there is a new outage.
 * @param outages oldest first; those that were once added never change
 */
export function outageDaysOf(outages: readonly Outage[], calendar: Calendar): ReadonlySet<number> {
  const newest = `${outages.length} ${outages.at(-1)?.until}`;
  let known = remembered.get(calendar);
  if (known?.newest !== newest) {
    known = { newest, days: outageDays(outages, calendar) };
    remembered.set(calendar, known);
  }
  return known.days;
}
