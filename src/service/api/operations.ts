import { z } from 'zod';
import type { ListingKind } from '../listing/listing.ts';
import {
  botProfileResource,
  reviewResource,
  reviewsMeta,
  reviewsQuery,
  serverProfileResource,
  voteStatusResource,
  votesPath,
} from './schemas.ts';

/** One endpoint as the document describes it (section 4): data for the router, the OpenAPI document and the suite alike. */
export interface Operation {
  /** Relative to the base path, in the router's notation. */
  readonly path: string;
  readonly summary: string;
  /** The keys that work; any other is 400. */
  readonly keys: readonly ListingKind[];
  readonly pathParameters: z.ZodObject;
  readonly queryParameters: z.ZodObject;
  readonly data: z.ZodType;
  /** Null where the response has no `meta`. */
  readonly meta: z.ZodType | null;
}

const nothing = z.object({});

export const operations = {
  getServer: {
    path: '/server',
    summary: "Profile and stats of the key owner's server",
    keys: ['server'],
    pathParameters: nothing,
    queryParameters: nothing,
    data: serverProfileResource,
    meta: null,
  },
  getBot: {
    path: '/bot',
    summary: "Profile and stats of the key owner's bot",
    keys: ['bot'],
    pathParameters: nothing,
    queryParameters: nothing,
    data: botProfileResource,
    meta: null,
  },
  getVotes: {
    path: '/votes/:userId',
    summary: 'Vote cooldown and eligibility of one user',
    keys: ['server', 'bot'],
    pathParameters: votesPath,
    queryParameters: nothing,
    data: voteStatusResource,
    meta: null,
  },
  getReviews: {
    path: '/reviews',
    summary: "Reviews of the key owner's server",
    keys: ['server'],
    pathParameters: nothing,
    queryParameters: reviewsQuery,
    data: z.array(reviewResource),
    meta: reviewsMeta,
  },
} as const satisfies Record<string, Operation>;

export type Operations = typeof operations;
export type OperationName = keyof Operations;
