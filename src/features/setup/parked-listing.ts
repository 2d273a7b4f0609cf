import type { ListingConfig } from '../../../config/schema.ts';

/** A listing of a community that the bot has left: votes are recorded, and nothing is posted or given in the guild. */
export function parkedListing(listing: ListingConfig): ListingConfig {
  const { rewards, announcements } = listing;
  return {
    ...listing,
    announceChannelId: null,
    premiumChannelId: null,
    ownerChannelId: null,
    rewards: {
      ...rewards,
      voterRole: null,
      premiumRoles: {},
      milestones: rewards.milestones.map((milestone) => ({ ...milestone, role: null })),
    },
    announcements: { ...announcements, reviews: false, lostStreaks: null },
  };
}
