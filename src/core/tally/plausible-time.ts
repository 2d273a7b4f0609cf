import { day } from '@tallyhook/platform/durations';
import type { Event } from '../../webhook/event.ts';

/**
 * No site sends events again for so long (ms): top.gg, which remembers its votes longest, does so for a year. An older
 * time, such as one of 1970, is an error of the sender.
 */
const maxAgeMs = 2 * 365 * day;

/** The event, without a time that cannot be true: it counts from its receipt. @param receivedAt ms since the epoch */
export function withPlausibleTime<Each extends Event>(event: Each, receivedAt: number): Each {
  const { at } = event;
  return at === null || at > receivedAt - maxAgeMs ? event : { ...event, at: null, statedAt: at };
}
