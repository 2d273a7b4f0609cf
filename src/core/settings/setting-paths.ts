/**
 * The paths of a listing. A value that lists several things (multipliers, milestones, roles) is replaced as a whole.
 * `null` switches a setting off: a channel, a role, a text or colour of announcements.
 */
export const listingPaths = [
  'announceChannelId',
  'premiumChannelId',
  'cooldownHours',
  'rewards.vote',
  'rewards.premium',
  'rewards.whenDenied',
  'rewards.multipliers',
  'rewards.milestones',
  'rewards.milestoneRoles',
  'rewards.voterRole',
  'rewards.premiumRoles',
  'rewards.allListings',
  'announcements.mode',
  'announcements.every',
  'announcements.title',
  'announcements.text',
  'announcements.colour',
  'announcements.thumbnail',
  'announcements.voteButton',
  'announcements.reviews',
  'announcements.milestones',
  'announcements.premium',
  'announcements.party',
  'announcements.lostStreaks',
  'announcements.language',
] as const;
export type ListingPath = (typeof listingPaths)[number];

/** The paths that all listings of a community share. `null` switches the setting off. */
export const communityPaths = ['timeZone', 'ownerChannelId', 'rewards.streak', 'rewards.party', 'shop'] as const;
export type CommunityPath = (typeof communityPaths)[number];

/** A listing that was linked in Discord: `{kind, id}`. */
export const linkPath = 'link';
/** Secrets of a listing. */
export const secretPaths = ['lookupKey', 'voteSecrets', 'premiumSecrets'] as const;
export type SecretPath = (typeof secretPaths)[number];

/** The codes of an item of the shop; they are secret. */
export function codesPath(itemId: string): string {
  return `shop.${itemId}.codes`;
}

/** The item whose codes are at a path; null for any other path. */
export function itemOfCodes(path: string): string | null {
  return path.startsWith('shop.') && path.endsWith('.codes') ? path.slice('shop.'.length, -'.codes'.length) : null;
}
