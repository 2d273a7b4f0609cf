import type { z } from 'zod';
import { voteCooldownOf } from '../listing/cooldown.ts';
import { type Listing, pagePath } from '../listing/listing.ts';
import { startOfMonth } from '../listing/period.ts';
import type { Database } from '../storage/database.ts';
import { countReviews, reviewsOf } from '../storage/reviews.ts';
import { countVotes, lastVoteAt } from '../storage/votes.ts';
import { ApiError } from './api-error.ts';
import type { OperationName, Operations } from './operations.ts';

/** Who asks, and what of. */
export interface ApiRequest {
  readonly database: Database;
  /** The one listing that the key belongs to. */
  readonly listing: Listing;
  /** ms since the epoch. */
  readonly now: number;
  /** Where the service's pages are, without a slash at the end. */
  readonly origin: string;
}

type Parameters<Name extends OperationName> = z.infer<Operations[Name]['pathParameters']> &
  z.infer<Operations[Name]['queryParameters']>;
type Answer<Name extends OperationName> = {
  readonly data: z.infer<Operations[Name]['data']>;
} & (Operations[Name]['meta'] extends z.ZodType ? { readonly meta: z.infer<Operations[Name]['meta']> } : unknown);

/** What each endpoint answers to a request that is in order. */
export const createHandlers: {
  readonly [Name in OperationName]: (asked: ApiRequest, parameters: Parameters<Name>) => Promise<Answer<Name>>;
} = {
  async getServer({ database, listing, now, origin }) {
    if (listing.kind !== 'server') throw wrongKey('server');
    const { facts } = listing;
    return {
      data: {
        id: listing.id,
        name: listing.name,
        description: listing.description,
        votes: await countVotes(database, listing.id),
        monthlyVotes: await countVotes(database, listing.id, startOfMonth(now)),
        tags: [...listing.tags],
        category: facts.category,
        ownerDiscordId: listing.ownerId,
        features: [...facts.features],
        emojis: [...facts.emojis],
        channelCount: facts.channelCount,
        roleCount: facts.roleCount,
        rules: [...facts.rules],
        url: origin + pagePath(listing),
        memberCount: facts.members,
        stats: { members: facts.members, online: facts.online },
      },
    };
  },

  async getBot({ database, listing, origin }) {
    if (listing.kind !== 'bot') throw wrongKey('bot');
    return {
      data: {
        id: listing.id,
        name: listing.name,
        description: listing.description,
        votes: await countVotes(database, listing.id),
        tags: [...listing.tags],
        url: origin + pagePath(listing),
        stats: { servers: listing.facts.servers, shards: listing.facts.shards },
      },
    };
  },

  async getVotes({ database, listing, now }, { userId }) {
    const standing = voteCooldownOf(await lastVoteAt(database, listing.id, userId), now);
    return {
      data: {
        canVote: standing.canVote,
        nextVoteDate: isoOrNull(standing.nextVoteAt),
        lastVoteDate: isoOrNull(standing.lastVoteAt),
        secondsUntilVote: standing.secondsUntilVote,
      },
    };
  },

  async getReviews({ database, listing }, { limit, sort }) {
    const reviews = await reviewsOf(database, listing.id, sort, limit);
    const { total } = await countReviews(database, listing.id);
    return {
      data: reviews.map((review) => ({ ...review, createdAt: new Date(review.createdAt).toISOString() })),
      meta: { total, shown: reviews.length },
    };
  },
};

/** Document, section 7: "the endpoint does not match the key type". */
export function wrongKey(...wanted: readonly string[]): ApiError {
  return new ApiError(400, `This endpoint needs the API key of a ${wanted.join(' or a ')}.`);
}

function isoOrNull(moment: number | null): string | null {
  return moment === null ? null : new Date(moment).toISOString();
}
