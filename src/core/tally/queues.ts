import type { Family } from '../../webhook/event.ts';
import { hearingEndpoints } from '../outbox/audience.ts';
import { type QueueName, queueName } from '../outbox/queue.ts';
import type { ListingContext } from './listing-context.ts';
import type { Delivery, RoutedDelivery } from './tally.ts';

/** The queues to which the recorded delivery may have added effects. */
export function queuesOf({ family }: Delivery, routed: RoutedDelivery): readonly QueueName[] {
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

/** The queues of a listing's votes, the same for every vote. */
const voteQueues = new WeakMap<ListingContext, readonly QueueName[]>();

export function queuesOfVotes(listing: ListingContext): readonly QueueName[] {
  const queues = voteQueues.get(listing) ?? queuesFor('vote', [listing]);
  voteQueues.set(listing, queues);
  return queues;
}

/** Several listings only if the stored order decides. */
function queuesFor(family: Family, listings: readonly ListingContext[]): readonly QueueName[] {
  return listings.flatMap((listing) => {
    const { id, guildId } = listing.community;
    const roles = guildId !== null && grantsRoles(family, listing) ? queueName('roles', id, guildId) : null;
    const endpoints = hearingEndpoints.in(listing.rewards).map((endpoint) => queueName('webhook', id, endpoint.id));
    return [roles, channelQueueOf(family, listing), ...endpoints].filter((queue) => queue !== null);
  });
}

/** The channel for announcements of a family; null for none. */
function channelFor(family: Family, listing: ListingContext): string | null {
  return family === 'vote' ? listing.announceChannelId : listing.premiumChannelId;
}

/** The queue of the announcements of a family; null without a channel. */
export function channelQueueOf(family: Family, listing: ListingContext): QueueName | null {
  const channelId = channelFor(family, listing);
  return channelId === null ? null : queueName('channel', listing.community.id, channelId);
}

/** True if an event of this family for the listing can change roles. */
export function grantsRoles(family: Family, { rewards, community }: ListingContext): boolean {
  const { voterRole, milestones, premiumRoles } = rewards;
  if (community.guildId === null) return false;
  if (family === 'premium') return Object.keys(premiumRoles).length > 0;
  return voterRole !== null || milestones.some(({ role }) => role !== null);
}
