import { memoizeOne } from '@tallyhook/platform/memoize';
import type { z } from 'zod';
import { voteCooldownOf } from '../listing/cooldown.ts';
import {
  type BotListing,
  type Listing,
  pagePath,
  type ServerListing,
  type ServiceListingKind,
} from '../listing/listing.ts';
import type { Lookups, ReviewPage } from '../storage/lookups.ts';
import { ApiError } from './api-error.ts';
import type { OperationName, Operations } from './operations.ts';

interface ProfileParts {
  /** Votes in total, and of the month. */
  readonly total: number;
  readonly month: number;
  readonly origin: string;
}

/**
 * Builds the profile of a listing again only after a part of it has changed: as the same object, so that it is not
 * serialized again either. A changed listing is another object.
 */
function rememberProfile<Kind extends Listing, Profile>(
  build: (listing: Kind, parts: ProfileParts) => Profile,
): (listing: Kind, parts: ProfileParts) => Profile {
  const last = new WeakMap<Kind, ProfileParts & { readonly profile: Profile }>();
  return (listing, parts) => {
    const { total, month, origin } = parts;
    const known = last.get(listing);
    if (known?.total === total && known.month === month && known.origin === origin) return known.profile;
    const profile = build(listing, parts);
    last.set(listing, { ...parts, profile });
    return profile;
  };
}

/** An authenticated request. */
export interface ApiRequest {
  readonly lookups: Lookups;
  readonly listing: Listing;
  /** ms since the epoch. */
  readonly now: number;
  /** The public URL of the service, without a trailing slash. */
  readonly origin: string;
}

type Parameters<Name extends OperationName> = z.infer<Operations[Name]['pathParameters']> &
  z.infer<Operations[Name]['queryParameters']>;
type ResponseBody<Name extends OperationName> = {
  readonly data: z.infer<Operations[Name]['data']>;
} & (Operations[Name]['meta'] extends z.ZodType ? { readonly meta: z.infer<Operations[Name]['meta']> } : unknown);

const serverProfile = rememberProfile((listing: ServerListing, { total, month, origin }): ResponseBody<'getServer'> => {
  const { facts } = listing;
  return {
    data: {
      id: listing.id,
      name: listing.name,
      description: listing.description,
      votes: total,
      monthlyVotes: month,
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
});

const botProfile = rememberProfile(
  (listing: BotListing, { total, origin }): ResponseBody<'getBot'> => ({
    data: {
      id: listing.id,
      name: listing.name,
      description: listing.description,
      votes: total,
      tags: [...listing.tags],
      url: origin + pagePath(listing),
      stats: { servers: listing.facts.servers, shards: listing.facts.shards },
    },
  }),
);

const reviewResponse = memoizeOne(
  ({ total, reviews }: ReviewPage): ResponseBody<'getReviews'> => ({
    data: [...reviews],
    meta: { total, shown: reviews.length },
  }),
);

/** One handler per operation. Each returns the response to a request that was authenticated and validated. */
export const operationHandlers: {
  readonly [Name in OperationName]: (request: ApiRequest, parameters: Parameters<Name>) => Promise<ResponseBody<Name>>;
} = {
  async getServer({ lookups, listing, now, origin }) {
    if (listing.kind !== 'server') throw keyTypeError('server');
    return serverProfile(listing, { ...(await lookups.votes(listing.id, now)), origin });
  },

  async getBot({ lookups, listing, now, origin }) {
    if (listing.kind !== 'bot') throw keyTypeError('bot');
    return botProfile(listing, { ...(await lookups.votes(listing.id, now)), origin });
  },

  async getVotes({ lookups, listing, now }, { userId }) {
    const cooldown = voteCooldownOf(await lookups.lastVoteAt(listing.id, userId), now);
    return {
      data: {
        canVote: cooldown.canVote,
        nextVoteDate: isoOrNull(cooldown.nextVoteAt),
        lastVoteDate: isoOrNull(cooldown.lastVoteAt),
        secondsUntilVote: cooldown.secondsUntilVote,
      },
    };
  },

  async getReviews({ lookups, listing }, { limit, sort }) {
    return reviewResponse(await lookups.reviews(listing, sort, limit));
  },
};

/** Document, section 7: "the endpoint does not match the key type". */
export function keyTypeError(...kinds: readonly ServiceListingKind[]): ApiError {
  return new ApiError(400, `This endpoint needs the API key of a ${kinds.join(' or a ')}.`);
}

function isoOrNull(timestamp: number | null): string | null {
  return timestamp === null ? null : new Date(timestamp).toISOString();
}
