import type { ListingConfig } from '../../../config/schema.ts';
import { type Finding, pass, warn } from '../../platform/doctor/finding.ts';
import { day, formatAgo } from '../../platform/durations.ts';

/** Without a delivery for this long, the webhook may be misconfigured (ms). */
const maxSilenceMs = 7 * day;

/**
 * @param lastDeliveries time of the last delivery by listing name (ms since the epoch)
 * @param now ms since the epoch
 */
export function evaluateDeliveries(
  listings: readonly ListingConfig[],
  lastDeliveries: ReadonlyMap<string, number>,
  now: number,
): Finding[] {
  const hint = 'Press "Test Webhook" in the dashboard of the service, and check the URL there.';
  // The variables always describe a server and a bot. One without a key and without deliveries is not in use.
  const activeListings = listings.filter(({ name, lookupKey }) => lookupKey !== null || lastDeliveries.has(name));
  return activeListings.map(({ name }) => {
    const at = lastDeliveries.get(name);
    if (at === undefined) return warn(`No delivery for ${name} has been received yet.`, hint);
    const message = `The last delivery for ${name} was received ${formatAgo(at, now)} (${new Date(at).toISOString()})`;
    return now - at > maxSilenceMs ? warn(`${message}: none in the last 7 days.`, hint) : pass(`${message}.`);
  });
}
