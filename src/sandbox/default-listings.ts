import type { Environment } from '../../config/environment.ts';
import { day } from '../platform/durations.ts';
import type { ServiceListingKind } from '../service/listing/listing.ts';
import type { LocalDiscord } from './discord/local-discord.ts';
import type { WebhookSecrets } from './listing-service.ts';

/** Days from the start of the sandbox until the window of a multiplier, and its length. */
const windowStartDays = 7;
const windowDays = 7;

/** Settings of a listing, as in the file of `TALLYHOOK_CONFIG`. */
export type ListingSettings = Readonly<Record<string, unknown>>;

/** A listing of the service, as the bot is configured for it. */
export interface SandboxListing {
  readonly kind: ServiceListingKind;
  readonly id: string;
  readonly lookupKey: string;
}

/**
 * The file of `TALLYHOOK_CONFIG` for the default community, which uses every rule. The multipliers are for members with
 * certain roles, so that the first vote earns the same on every day.
 *
 * @param now the current time (ms since the epoch)
 * @param settings replace the default ones of each listing
 */
export function defaultListings(
  listings: readonly SandboxListing[],
  { guildId, channels, roles }: Pick<LocalDiscord, 'guildId' | 'channels' | 'roles'>,
  secrets: WebhookSecrets,
  now: number,
  settings: ListingSettings = {},
): object {
  const from = new Date(now + windowStartDays * day).toISOString();
  const until = new Date(now + (windowStartDays + windowDays) * day).toISOString();
  const rewards = {
    multipliers: [
      { factor: 1.5, role: roles.vip },
      { factor: 2, days: ['saturday', 'sunday'], role: roles.regular },
      { factor: 2, from, until, role: roles.veteran },
    ],
    streak: { every: 3, credits: 50, forgive: 1 },
    milestones: [
      { votes: 5, credits: 30, role: roles.regular },
      { votes: 10, credits: 100, role: roles.veteran },
      { everyVotes: 25, credits: 250 },
    ],
    milestoneRoles: 'all',
    voterRole: { role: roles.voter, for: '12h' },
    premiumRoles: { '*': roles.premium },
    allListings: 20,
    party: { goal: 5, per: 'week', credits: 25 },
  };
  const shop = [
    { id: 'vip', name: 'VIP for a week', price: 50, role: roles.vip, for: '7d', stock: 5 },
    { id: 'key', name: 'Game key', price: 40, codes: ['LANTERN-1111', 'LANTERN-2222', 'LANTERN-3333'] },
    { id: 'shout', name: 'Shout-out', price: 30, manual: true, needsRole: roles.voter },
  ];
  const community = { guildId, timeZone: 'Europe/Berlin', ownerChannelId: channels.general, shop };
  const common = {
    voteSecrets: [secrets.vote],
    premiumSecrets: [secrets.premium],
    announceChannelId: channels.announcements,
    premiumChannelId: channels.premium,
  };
  return {
    listings: listings.map(({ kind, id, lookupKey }) => ({
      name: kind,
      kind,
      id,
      lookupKey,
      ...common,
      ...community,
      rewards,
      ...settings,
    })),
  };
}

/** The caller's settings without those of listings, which the file replaces. */
export function withoutListingSettings(environment: Environment): Environment {
  const isOfListing = /^(?:TALLYHOOK_CONFIG|(?:LOOKUP_(?:SERVER|BOT)_KEY|(?:VOTE|PREMIUM)_WEBHOOK_\w+?))(?:_FILE)?$/;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isOfListing.test(name)));
}
