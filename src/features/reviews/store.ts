import { day } from '@tallyhook/platform/durations';
import { type Fields, matches } from '@tallyhook/platform/json';
import type { CommunityId } from '../../core/ledger/account.ts';
import { type EffectKind, formatOf, type NewEffect, newEffect } from '../../core/outbox/effect-kind.ts';
import type { HandlerListing, ReviewEvent } from '../../core/outbox/handler-events.ts';
import { queueName } from '../../core/outbox/queue.ts';
import { enqueue } from '../../core/store/outbox/enqueue.ts';
import { deleteProgress, insertMissing, lock, progressOf, run, setProgress } from '../../core/store/query-builder.ts';
import type { EndedGuild, Sql, SqlClient } from '../../core/store/sql-module.ts';
import { handlerCall } from '../handlers/feature.ts';

export interface ReviewTables {
  /** The newest reviews of each listing, by a digest of what identifies them (hex); `at` is null if it is not known. */
  announced_reviews: { listing: string; review: string; at: number | null };
}

export type ReviewSql = Sql<ReviewTables>;

/** A review on the service; its texts are external. */
export interface Review {
  readonly username: string | null;
  /** The stars of the review, whose range is not documented. */
  readonly rating: number | null;
  readonly comment: string;
  /** ms since the epoch */
  readonly createdAt: number | null;
}

export interface ReviewAnnouncement {
  readonly channelId: string;
  readonly listing: string;
  readonly id: string;
  readonly review: Review;
}

const fields: Fields<ReviewAnnouncement> = {
  channelId: ['string'],
  listing: ['string'],
  id: ['string'],
  review: ['object'],
};
const reviewFields: Fields<Review> = {
  username: ['string', null],
  rating: ['number', null],
  comment: ['string'],
  createdAt: ['number', null],
};

export const reviewKind: EffectKind<'review', ReviewAnnouncement> = {
  kind: 'review',
  ...formatOf(
    (value): value is ReviewAnnouncement =>
      matches<ReviewAnnouncement>(value, fields) && matches(value.review, reviewFields),
  ),
};

/** When the reviews of a listing are polled again. */
const pollKey = (listing: string) => `review poll ${listing}`;
/** Reviews that are not newer were there before (ms since the epoch). */
const reviewsKey = (listing: string) => `reviews ${listing}`;

/** A claim that lasts longer than this was written by a clock that was ahead (ms). */
const maxClaimMs = day;

export interface ListedReviews {
  readonly listing: string;
  /** Where they are announced; null for nowhere. */
  readonly communityId: CommunityId;
  readonly channelId: string | null;
  /** The listing as the handler for reviews gets it; null, the default, without one. */
  readonly handled?: HandlerListing | null;
  /** Newest first, each with what identifies it. */
  readonly reviews: readonly (Review & { readonly id: string })[];
  /** True if there may be older ones. */
  readonly isPartial: boolean;
}

export const reads = {
  /** True if the next poll can be claimed. Usually it is not due, and a read needs no lock. */
  async isPollDue(sql: ReviewSql, listing: string, now: number): Promise<boolean> {
    return isDue(await progressOf(sql, pollKey(listing)), now);
  },
};

export const writes = {
  /**
   * Claims the next poll of a listing's reviews, unless another process did within the interval.
   * @param nextAt when to poll again (ms since the epoch)
   */
  async claimPoll(sql: ReviewSql, listing: string, now: number, nextAt: number): Promise<boolean> {
    const key = pollKey(listing);
    await lock(sql.connection, sql.db, key);
    if (!isDue(await progressOf(sql, key), now)) return false;
    await setProgress(sql, key, nextAt);
    return true;
  },

  /**
   * Stores the reviews, and enqueues an announcement and a call of the handler for each new one; none for the first
   * reviews of a listing. Returns how many are new.
   */
  async announce(sql: ReviewSql, listed: ListedReviews, now: number): Promise<number> {
    const { db, connection } = sql;
    const { listing, communityId, channelId, handled = null, reviews, isPartial } = listed;
    const key = reviewsKey(listing);
    await lock(connection, db, key);
    const since = await progressOf(sql, key);
    const stored = db.selectFrom('announced_reviews').select('review').where('listing', '=', listing);
    const known = new Set((await run(connection, stored)).map(({ review }) => review));
    const unknown = reviews.filter((review) => !known.has(review.id));
    for (const { id, createdAt } of unknown) {
      await insertMissing(sql, 'announced_reviews', { listing, review: id }, { at: createdAt });
    }
    // Without a time, a review that enters a full list may be old.
    const isNew = ({ createdAt }: { readonly createdAt: number | null }) =>
      since !== null && (createdAt === null ? !isPartial : createdAt > since);
    const announced = unknown.filter(isNew).toReversed();
    await enqueue(
      { db, connection },
      announced.flatMap(({ id, ...review }) => [
        ...(channelId === null ? [] : [reviewEffect(communityId, { channelId, listing, id, review }, now)]),
        ...(handled === null ? [] : [reviewCall(communityId, handled, { id, ...review }, now)]),
      ]),
    );
    // Once the list is longer than a response, an older review can enter it after a newer one was deleted.
    const oldest = Math.min(...reviews.flatMap(({ createdAt }) => createdAt ?? []));
    const threshold = Math.max(since ?? 0, isPartial && Number.isFinite(oldest) ? oldest : 0);
    await setProgress(sql, key, threshold);
    const old = db.deleteFrom('announced_reviews').where('listing', '=', listing).where('at', '<', threshold);
    await run(connection, old);
    return announced.length;
  },
};

export type ReviewStore = SqlClient<{ reads: typeof reads; writes: typeof writes }>;

function reviewEffect(communityId: CommunityId, content: ReviewAnnouncement, createdAt: number): NewEffect {
  const queue = queueName('channel', communityId, content.channelId);
  return newEffect(reviewKind, { queue, content, deliveryId: null, createdAt });
}

function reviewCall(
  communityId: CommunityId,
  listing: HandlerListing,
  { id, username, rating, comment, createdAt }: Review & { readonly id: string },
  now: number,
): NewEffect {
  const { guildId } = listing;
  const event: ReviewEvent = {
    type: 'review',
    listing,
    guildId,
    deliveryId: null,
    userId: null,
    at: createdAt ?? now,
    username,
    rating,
    comment,
  };
  return handlerCall(communityId, { id: `review-${listing.name}-${id}`, event }, null, now);
}

/** True if the reviews of a listing are to be polled; `dueAt` is null before the first time. */
function isDue(dueAt: number | null, now: number): boolean {
  return dueAt === null || dueAt <= now || dueAt > now + maxClaimMs;
}

export async function deleteReviews(sql: ReviewSql, { listings }: EndedGuild): Promise<boolean> {
  if (listings.length === 0) return false;
  const keys = listings.flatMap((name) => [pollKey(name), reviewsKey(name)]);
  await deleteProgress(sql, keys);
  await run(sql.connection, sql.db.deleteFrom('announced_reviews').where('listing', 'in', listings));
  return false;
}
