import type { Family } from '../../webhook/event.ts';
import { channelFor } from './announcement.ts';
import { grantsRoles, roleQueue } from './grants.ts';
import type { ListingContext } from './listing-context.ts';
import type { Delivery, RoutedDelivery } from './tally.ts';

/** The queues to which the recorded delivery may have added effects. */
export function queuesOf({ family }: Delivery, routed: RoutedDelivery): readonly string[] {
  switch (routed.type) {
    case 'event':
      return queuesFor(routed.event.family, [routed.listing]);
    case 'test':
      return queuesFor(family, [routed.listing]);
    case 'order':
      return queuesFor(routed.event.family, routed.listings);
    case 'quarantine':
      return [];
  }
}

/** Several listings only if the stored order decides. */
function queuesFor(family: Family, listings: readonly ListingContext[]): readonly string[] {
  return listings.flatMap((listing) => {
    const { guildId } = listing.community;
    const roles = guildId !== null && grantsRoles(family, listing) ? [roleQueue(guildId)] : [];
    return [...roles, ...[channelFor(family, listing) ?? []].flat()];
  });
}
