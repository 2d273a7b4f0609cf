import type { Feature } from '../../core/feature.ts';
import { departureMessage } from './effects.ts';
import * as sql from './store.ts';

export const communities = { sql, directMessages: [departureMessage] } satisfies Feature;

export type { Community, Directory } from './directory.ts';
export type { ListingTargets } from './listing-targets.ts';
export { type CommunityListing, linkedLabel } from './listings.ts';
export type { LookupClients } from './lookup-clients.ts';
export { describeCommunities, onlyCommunity } from './only-community.ts';
