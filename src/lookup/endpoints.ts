import type { z } from 'zod';
import type { Answer, Question } from './http.ts';
import { type FreshUntil, fiveMinutes, voteStatusFreshUntil } from './lifetimes.ts';
import type { ListingKind } from './lookup.ts';
import type { Resource } from './observation.ts';
import {
  botProfile,
  type CachedReviews,
  type CachedVoteStatus,
  type ProfileByKind,
  reviews,
  serverProfile,
  voteStatus,
} from './schemas.ts';
import { botProfileOnTheWire, reviewsOnTheWire, serverProfileOnTheWire, voteStatusOnTheWire } from './wire.ts';

/** All that is known of one endpoint (document, section 4). The id tells apart what can be asked of it. */
export interface Endpoint<Value> {
  readonly resource: Resource;
  question(id: string): Question;
  /** Reads the answer as of `now` (ms since the epoch). */
  read(answer: Answer, now: number): z.ZodSafeParseResult<Value>;
  /** How a value of it is kept. */
  readonly shape: z.ZodType<Value>;
  readonly freshUntil: FreshUntil<Value>;
}

const server: Endpoint<ProfileByKind['server']> = {
  resource: 'profile',
  question: () => ({ path: 'server', badRequestMeans: 'wrong key type' }),
  read: ({ data }) => serverProfileOnTheWire.safeParse(data),
  shape: serverProfile,
  freshUntil: fiveMinutes,
};

const bot: Endpoint<ProfileByKind['bot']> = {
  resource: 'profile',
  question: () => ({ path: 'bot', badRequestMeans: 'wrong key type' }),
  read: ({ data }) => botProfileOnTheWire.safeParse(data),
  shape: botProfile,
  freshUntil: fiveMinutes,
};

/** The profile that a key of this kind serves. */
export const profileEndpoint: { readonly [Kind in ListingKind]: Endpoint<ProfileByKind[Kind]> } = { server, bot };

/** The id is the user's. */
export const votesEndpoint: Endpoint<CachedVoteStatus> = {
  resource: 'votes',
  question: (userId) => ({ path: `votes/${userId}`, badRequestMeans: 'bad parameter' }),
  read: ({ data }, now) => voteStatusOnTheWire(now).safeParse(data),
  shape: voteStatus,
  freshUntil: voteStatusFreshUntil,
};

/** As many reviews as the service gives at once (document, section 8). */
export const reviewsCap = 50;

/** The id is the order. Always all that the service gives: one request serves every page and every limit. */
export const reviewsEndpoint: Endpoint<CachedReviews> = {
  resource: 'reviews',
  question: (sort) => ({ path: 'reviews', query: { limit: reviewsCap, sort }, badRequestMeans: 'either' }),
  read: (answer) => reviewsOnTheWire.safeParse(answer),
  shape: reviews,
  freshUntil: fiveMinutes,
};
