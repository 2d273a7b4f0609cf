import type { Feature } from '../../core/feature.ts';
import type { MessageType } from '../../core/outbox/effect-kind.ts';
import * as sql from './store.ts';

/** A community has removed the bot, and its settings and data will be deleted. Times are ms since the epoch. */
export interface DepartureNotice {
  readonly guildId: string;
  /** The name of one of its configured listings; null without one. */
  readonly listing: string | null;
  readonly parkedAt: number;
  readonly deletedAt: number;
  /** How many notices preceded this one, the first of which was sent when the community was parked. */
  readonly notices: number;
}

export const departureMessage: MessageType<'departure', DepartureNotice> = {
  type: 'departure',
  fields: {
    guildId: ['string'],
    listing: ['string', null],
    parkedAt: ['number'],
    deletedAt: ['number'],
    notices: ['number'],
  },
};

export const communities = { sql, directMessages: [departureMessage] } satisfies Feature;

export type { Community, Directory, ListingTargets } from './directory.ts';
export { describeCommunities, distinctCommunities, onlyCommunity } from './directory.ts';
export { type CommunityListing, linkedLabel } from './listings.ts';
export type { LookupClients } from './lookup-clients.ts';
