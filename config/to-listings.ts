import type { ConfigIssue } from '../src/platform/invalid-config-error.ts';
import { announcementsOf } from './announcements.ts';
import { type Community, communitiesOf, plainCommunity } from './communities.ts';
import type { ListingDefaults } from './listing-defaults.ts';
import type { ListingSource, StatedListing } from './listing-source.ts';
import { rewardsOf } from './rewards.ts';
import { roleIssues } from './role-issues.ts';
import type { ListingConfig } from './schema.ts';

/**
 * The listings with everything that they leave out. Contradictions between listings of a guild are added to `issues`.
 */
export function toListings(
  sources: readonly ListingSource[],
  defaults: ListingDefaults,
  issues: ConfigIssue[],
): ListingConfig[] {
  const communities = communitiesOf(sources, issues);
  return sources.map((source, index) => toListing(source, communities[index] ?? plainCommunity, defaults));
}

/** The listing with everything that it leaves out. */
export function toListing(source: ListingSource, community: Community, defaults: ListingDefaults): ListingConfig {
  const { listing, guildId, implied } = source;
  const { streak, party, ...shared } = community;
  return {
    name: listing.name,
    kind: listing.kind,
    id: listing.id ?? null,
    implied,
    ...(source.origin === 'setup' && { linked: true as const }),
    lookupKey: listing.lookupKey ?? null,
    voteSecrets: listing.voteSecrets,
    premiumSecrets: listing.premiumSecrets,
    voteAuthorization: listing.voteAuthorization ?? null,
    ...channelsOf(defaults, listing),
    guildId,
    ...shared,
    rewards: rewardsOf(defaults, listing, { guildId, streak, party }),
    announcements: announcementsOf(listing.announcements),
  };
}

/** Issues with the roles of each listing and its own shop; a shop of another listing is checked there. */
export function sourceIssues(sources: readonly ListingSource[], listings: readonly ListingConfig[]): ConfigIssue[] {
  return sources.flatMap(({ setting, shop }, index) => {
    const listing = listings[index];
    return listing === undefined ? [] : roleIssues({ ...listing, shop: shop ?? [] }, setting);
  });
}

function channelsOf(defaults: ListingDefaults, listing: StatedListing) {
  const own = listing.announceChannelId;
  const announceChannelId = own === undefined ? (defaults.ANNOUNCE_CHANNEL_ID ?? null) : own;
  const ownPremium = listing.premiumChannelId;
  const premiumChannelId = (ownPremium === undefined ? defaults.PREMIUM_CHANNEL_ID : ownPremium) ?? announceChannelId;
  return { announceChannelId, premiumChannelId };
}
