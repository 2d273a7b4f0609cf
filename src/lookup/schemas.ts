import { z } from 'zod';

/** A count the service may leave out or get wrong; null then. */
const count = z.number().nonnegative().nullable();
/** ms since the epoch. */
const moment = z.number().nullable();

/** The profile of a listed server (document, section 2.2), in our own words. The owner's id is deliberately not among them. */
export interface ServerProfile {
  readonly kind: 'server';
  readonly id: string | null;
  readonly name: string;
  readonly description: string | null;
  /** Votes ever. */
  readonly votes: number | null;
  /** Votes in the current month. */
  readonly monthlyVotes: number | null;
  readonly tags: readonly string[];
  readonly category: string | null;
  readonly members: number | null;
  /** Members who are online. */
  readonly online: number | null;
  readonly channelCount: number | null;
  readonly roleCount: number | null;
  /** The public page, http or https only. */
  readonly url: string | null;
}

/** The profile of a listed bot (document, section 2.3), in our own words. */
export interface BotProfile {
  readonly kind: 'bot';
  readonly id: string | null;
  readonly name: string;
  readonly description: string | null;
  /** Votes ever. */
  readonly votes: number | null;
  readonly tags: readonly string[];
  /** Servers that the bot is in. */
  readonly servers: number | null;
  readonly shards: number | null;
  /** The public page, http or https only. */
  readonly url: string | null;
}

/** Whether a user may vote now (document, section 2.4). */
export interface VoteStatus {
  readonly canVote: boolean;
  /** The last vote (ms since the epoch); null when there was none or it is not known. */
  readonly lastVoteAt: number | null;
  /** When the running cooldown ends (ms since the epoch); null when none runs or its end is not known. */
  readonly nextVoteAt: number | null;
}

/** The orders in which the service lists reviews (document, section 4). */
export const reviewSorts = ['newest', 'highest', 'lowest'] as const;
export type ReviewSort = (typeof reviewSorts)[number];

/** One review (document, section 2.5). */
export interface Review {
  /** The author's display name; null when the service names nobody. */
  readonly username: string | null;
  /** As the service says it; its range is not documented. */
  readonly rating: number | null;
  /** May be empty. */
  readonly comment: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number | null;
}

/** The reviews of a server (document, section 2.5), in the order that was asked for. */
export interface Reviews {
  readonly reviews: readonly Review[];
  /** How many reviews the server has in all; at least as many as are here. */
  readonly total: number;
}

/*
 * The same shapes as schemas: strict about our own words, because they check what an older version may have left in the cache.
 * What the service sends is read by `wire.ts`.
 */

/** {@link ServerProfile}, as it is kept. */
export const serverProfile: z.ZodType<ServerProfile> = z.object({
  kind: z.literal('server'),
  id: z.string().nullable(),
  name: z.string(),
  description: z.string().nullable(),
  votes: count,
  monthlyVotes: count,
  tags: z.array(z.string()),
  category: z.string().nullable(),
  members: count,
  online: count,
  channelCount: count,
  roleCount: count,
  url: z.string().nullable(),
});

/** {@link BotProfile}, as it is kept. */
export const botProfile: z.ZodType<BotProfile> = z.object({
  kind: z.literal('bot'),
  id: z.string().nullable(),
  name: z.string(),
  description: z.string().nullable(),
  votes: count,
  tags: z.array(z.string()),
  servers: count,
  shards: count,
  url: z.string().nullable(),
});

/** {@link VoteStatus}, as it is kept. */
export const voteStatus: z.ZodType<VoteStatus> = z.object({
  canVote: z.boolean(),
  lastVoteAt: moment,
  nextVoteAt: moment,
});

/** {@link Reviews}, as they are kept. */
export const reviews: z.ZodType<Reviews> = z.object({
  reviews: z.array(
    z.object({
      username: z.string().nullable(),
      rating: z.number().nullable(),
      comment: z.string(),
      createdAt: moment,
    }),
  ),
  total: z.number().nonnegative(),
});
