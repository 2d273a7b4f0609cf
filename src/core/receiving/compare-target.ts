import type { Clock } from '../../platform/clock.ts';
import { hour } from '../../platform/durations.ts';
import type { Log } from '../../platform/log.ts';
import { createThrottledLog } from '../../platform/throttled-log.ts';
import type { EventTarget } from '../../webhook/event.ts';
import type { RoutedDelivery } from '../tally/tally.ts';

/** Shortest time between two warnings about one listing (ms). */
const warningIntervalMs = hour;

const message = 'a delivery names another server or bot than its listing is; it counts for the listing all the same';
const hint =
  'If the service sends the votes of another listing here, copy the address and secret of the right listing to its webhook. ' +
  'If they are of this listing, correct its id in the settings.';

/** Warns of a delivery that belongs to another server or bot than the listing that its secret selects. */
export type CompareTarget = (routed: RoutedDelivery) => void;

/**
 * A secret with a single listing of a kind decides alone, so the id in the payload changes nothing: the warning is the
 * only sign that two webhooks were mixed up.
 */
export function createCompareTarget(options: {
  /** The Discord id of the server or bot that a listing is; null if it is not known. */
  readonly targetIdOf: (listing: string) => string | null;
  readonly clock: Clock;
  readonly log: Log;
}): CompareTarget {
  const { targetIdOf, clock, log } = options;
  const logThrottled = createThrottledLog({ log, clock, intervalMs: warningIntervalMs });

  return (routed) => {
    if (routed.type !== 'event' || !isDiscordTarget(routed.event.target)) return;
    const { id: named } = routed.event.target;
    const { name: listing } = routed.listing;
    const listingId = targetIdOf(listing);
    if (listingId === null || listingId === named) return;
    logThrottled('warn', listing, message, { listing, listingId, named, hint });
  };
}

/** Not the vendor of a purchase that is neither a server nor a bot. */
function isDiscordTarget({ kind, id }: EventTarget): boolean {
  return kind !== null && id !== null;
}
