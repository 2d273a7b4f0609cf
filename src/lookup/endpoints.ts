import type { z } from 'zod';
import type { Resource } from './events.ts';
import type { LookupRequest, LookupResponse } from './http.ts';
import type { ListingKind } from './lookup.ts';
import {
  botProfileSchema,
  type CachedReviews,
  type CachedVoteStatus,
  type ProfileByKind,
  reviewsSchema,
  serverProfileSchema,
  voteStatusSchema,
} from './schemas.ts';
import { type FreshUntil, fiveMinutes, voteStatusFreshUntil } from './ttl.ts';
import { botProfileResponse, reviewsResponse, serverProfileResponse, voteStatusResponse } from './wire.ts';

/** All that is known of one endpoint (document, section 4). The id tells apart what can be asked of it. */
export interface Endpoint<Value> {
  readonly resource: Resource;
  request(id: string): LookupRequest;
  /** Reads the answer as of `now` (ms since the epoch). */
  read(answer: LookupResponse, now: number): z.ZodSafeParseResult<Value>;
  /** How a value of it is kept. */
  readonly shape: z.ZodType<Value>;
  readonly freshUntil: FreshUntil<Value>;
}

const server: Endpoint<ProfileByKind['server']> = {
  resource: 'profile',
  request: () => ({ path: 'server', badRequestMeans: 'wrong key type' }),
  read: ({ data }) => serverProfileResponse.safeParse(data),
  shape: serverProfileSchema,
  freshUntil: fiveMinutes,
};

const bot: Endpoint<ProfileByKind['bot']> = {
  resource: 'profile',
  request: () => ({ path: 'bot', badRequestMeans: 'wrong key type' }),
  read: ({ data }) => botProfileResponse.safeParse(data),
  shape: botProfileSchema,
  freshUntil: fiveMinutes,
};

/** The profile that a key of this kind serves. */
export const profileEndpoint: { readonly [Kind in ListingKind]: Endpoint<ProfileByKind[Kind]> } = { server, bot };

/** The id is the user's. */
export const votesEndpoint: Endpoint<CachedVoteStatus> = {
  resource: 'votes',
  request: (userId) => ({ path: `votes/${userId}`, badRequestMeans: 'bad parameter' }),
  read: ({ data }, now) => voteStatusResponse(now).safeParse(data),
  shape: voteStatusSchema,
  freshUntil: voteStatusFreshUntil,
};

/** As many reviews as the service gives at once (document, section 8). */
export const maxReviews = 50;

/** The id is the order. Always all that the service gives: one request serves every page and every limit. */
export const reviewsEndpoint: Endpoint<CachedReviews> = {
  resource: 'reviews',
  request: (sort) => ({ path: 'reviews', query: { limit: maxReviews, sort }, badRequestMeans: 'either' }),
  read: (answer) => reviewsResponse.safeParse(answer),
  shape: reviewsSchema,
  freshUntil: fiveMinutes,
};
