import { hour } from '@tallyhook/platform/durations';
import type { Calendar } from './calendar.ts';

/** A time in which no delivery could be received (ms since the epoch). */
export interface Outage {
  readonly from: number;
  readonly until: number;
}

/** Days with at least this much of it are forgiven (ms). */
const forgivenMs = 6 * hour;

/** The days on which receiving was down for six hours or more (day numbers). The outages do not overlap. */
export function outageDays(outages: readonly Outage[], calendar: Calendar): ReadonlySet<number> {
  const downMs = new Map<number, number>();
  for (const { from, until } of outages) {
    const lastDay = calendar.dayAt(until);
    for (let day = calendar.dayAt(from); day <= lastDay; day += 1) {
      const ms = Math.min(until, calendar.startOf(day + 1)) - Math.max(from, calendar.startOf(day));
      downMs.set(day, (downMs.get(day) ?? 0) + ms);
    }
  }
  return new Set([...downMs].filter(([, ms]) => ms >= forgivenMs).map(([day]) => day));
}
