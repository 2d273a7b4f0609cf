import { z } from 'zod';
import type { ServiceListingKind } from '../listing/listing.ts';
import {
  botProfileResource,
  reviewResource,
  reviewsMeta,
  reviewsQuery,
  serverProfileResource,
  voteStatusResource,
  votesPath,
} from './schemas.ts';

/** One endpoint of the document (section 4), for the router, the OpenAPI document and the conformance suite. */
export interface Operation {
  /** Relative to the base path, in Express's notation. */
  readonly path: string;
  readonly summary: string;
  /** The accepted kinds of keys; others are rejected with 400. */
  readonly keys: readonly ServiceListingKind[];
  readonly pathParameters: z.ZodObject;
  readonly queryParameters: z.ZodObject;
  readonly data: z.ZodType;
  /** Null if the response has no `meta`. */
  readonly meta: z.ZodType | null;
}

const noParameters = z.object({});

export const operations = {
  getServer: {
    path: '/server',
    summary: "Profile and stats of the key owner's server",
    keys: ['server'],
    pathParameters: noParameters,
    queryParameters: noParameters,
    data: serverProfileResource,
    meta: null,
  },
  getBot: {
    path: '/bot',
    summary: "Profile and stats of the key owner's bot",
    keys: ['bot'],
    pathParameters: noParameters,
    queryParameters: noParameters,
    data: botProfileResource,
    meta: null,
  },
  getVotes: {
    path: '/votes/:userId',
    summary: 'Vote cooldown and eligibility of one user',
    keys: ['server', 'bot'],
    pathParameters: votesPath,
    queryParameters: noParameters,
    data: voteStatusResource,
    meta: null,
  },
  getReviews: {
    path: '/reviews',
    summary: "Reviews of the key owner's server",
    keys: ['server'],
    pathParameters: noParameters,
    queryParameters: reviewsQuery,
    data: z.array(reviewResource),
    meta: reviewsMeta,
  },
} as const satisfies Record<string, Operation>;

export type Operations = typeof operations;
export type OperationName = keyof Operations;
