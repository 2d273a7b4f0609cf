import type { Family } from '../../webhook/event.ts';
import type { ListingContext } from './listing-context.ts';
import type { Delivery, RoutedDelivery } from './tally.ts';

/** The queues to which the recorded delivery may have added effects. */
export function queuesOf({ family }: Delivery, routed: RoutedDelivery): readonly string[] {
  switch (routed.type) {
    case 'event':
      return routed.event.family === 'vote' ? queuesOfVotes(routed.listing) : queuesFor('premium', [routed.listing]);
    case 'test':
      return queuesFor(family, [routed.listing]);
    case 'order':
      return queuesFor(routed.event.family, routed.listings);
    case 'ignored':
    case 'quarantine':
      return [];
  }
}

/** The same for every vote for a listing. */
const voteQueues = new WeakMap<ListingContext, readonly string[]>();

export function queuesOfVotes(listing: ListingContext): readonly string[] {
  const queues = voteQueues.get(listing) ?? queuesFor('vote', [listing]);
  voteQueues.set(listing, queues);
  return queues;
}

/** Several listings only if the stored order decides. */
function queuesFor(family: Family, listings: readonly ListingContext[]): readonly string[] {
  return listings.flatMap((listing) => {
    const { guildId } = listing.community;
    const roles = guildId !== null && grantsRoles(family, listing) ? roleQueue(guildId) : null;
    return [roles, channelFor(family, listing)].filter((queue) => queue !== null);
  });
}

/** The channel for announcements of a family; null for none. */
export function channelFor(family: Family, listing: ListingContext): string | null {
  return family === 'vote' ? listing.announceChannelId : listing.premiumChannelId;
}

/** Whether an event of this family for the listing can change roles. */
export function grantsRoles(family: Family, { rewards, community }: ListingContext): boolean {
  const { voterRole, milestones, premiumRoles } = rewards;
  if (community.guildId === null) return false;
  if (family === 'premium') return Object.keys(premiumRoles).length > 0;
  return voterRole !== null || milestones.some(({ role }) => role !== null);
}

/** The queue of a guild's role changes, which Discord rate-limits together. */
export function roleQueue(guildId: string): string {
  return `role ${guildId}`;
}
