import { hour } from '@tallyhook/platform/durations';
import type { ListingWithSecrets } from '../../src/core/receiving/listing.ts';
import { plainRewards } from '../../src/core/rewards/rules.ts';
import { firstCommunity } from './communities.ts';

export const voteSecret = 'vote-secret-for-tests';
export const premiumSecret = 'premium-secret-for-tests';
export const announceChannel = '500000000000000001';
export const premiumChannel = '500000000000000002';

type ServerAndBot = [server: ListingWithSecrets, bot: ListingWithSecrets];

/** One server and one bot with the same secrets, as configured by environment variables. */
export function serverAndBot(changes: Partial<ListingWithSecrets> = {}): ServerAndBot {
  const shared = {
    id: null,
    implied: false,
    rewards: plainRewards({ perVote: 10, perPremium: 100, whenDenied: 0, cooldownMs: 12 * hour }),
    community: { id: firstCommunity, guildId: null, timeZone: 'UTC', listings: ['server', 'bot'] },
    announced: { votes: true, milestones: true, premium: true, party: true },
    announceChannelId: announceChannel,
    premiumChannelId: premiumChannel,
    voteSecrets: [voteSecret],
    premiumSecrets: [premiumSecret],
    voteAuthorization: null,
    ...changes,
  };
  return [
    { ...shared, name: 'server', kind: 'server' },
    { ...shared, name: 'bot', kind: 'bot' },
  ];
}

/** The listings if variables describe both but only one has an API key: the other one is implied. */
export function withKeyOfOnly(kind: 'server' | 'bot', changes: Partial<ListingWithSecrets> = {}): ListingWithSecrets[] {
  return serverAndBot(changes).map((listing) => ({ ...listing, implied: listing.kind !== kind }));
}
