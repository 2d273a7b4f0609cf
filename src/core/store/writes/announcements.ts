import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import type { Review, ReviewAnnouncement } from '../../outbox/effect-contents.ts';
import { type HandlerListing, handlerQueue, type ReviewEvent } from '../../outbox/handler-events.ts';
import type { NewEffect } from '../../outbox/outbox.ts';
import type { ListedReviews, PlannedDigest, PlannedLostStreaks } from '../../tally/announcement-store.ts';
import { run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import { enqueueWrites } from './enqueue.ts';
import { lock } from './lock.ts';

/** Names in `announcement_progress`. */
export const progressKeys = {
  digestPrefix: 'digest ',
  digest: (listing: string) => `digest ${listing}`,
  lostStreaks: (community: string) => `lost streaks ${community}`,
  /** When the reviews of a listing are polled again. */
  reviewPoll: (listing: string) => `review poll ${listing}`,
  /** Reviews that are not newer were there before (ms since the epoch). */
  reviews: (listing: string) => `reviews ${listing}`,
};

/** A claim that lasts longer than this was written by a clock that was ahead (ms). */
const maxClaimMs = 86_400_000;

/** Announcements apart from single events, for use inside a transaction of `connection`. */
export function announcementWrites(db: Kysely<Tables>, connection: Connection) {
  const { enqueue } = enqueueWrites(db, connection);

  async function progressOf(key: string): Promise<number | null> {
    const [row] = await run(connection, selectProgress(db, key));
    return row?.until_at ?? null;
  }

  async function setProgress(key: string, until_at: number): Promise<void> {
    const insert = db.insertInto('announcement_progress').values({ key, until_at });
    await run(
      connection,
      insert.onConflict((conflict) => conflict.column('key').doUpdateSet({ until_at })),
    );
  }

  /** Advances from what the caller has read. False if another process was faster. */
  async function advance(key: string, from: number | null, until: number): Promise<boolean> {
    await lock(connection, db, key);
    if ((await progressOf(key)) !== from) return false;
    await setProgress(key, until);
    return true;
  }

  return {
    async planDigest(digest: PlannedDigest, now: number): Promise<string | null> {
      const { listing, channelId, announcedUntil, from, until, hasVotes } = digest;
      if (!(await advance(progressKeys.digest(listing), announcedUntil, until)) || !hasVotes) return null;
      const content = { channelId, listing, from, until };
      await enqueue([{ kind: 'digest', queue: channelId, content, deliveryId: null, createdAt: now }]);
      return channelId;
    },

    async keepDigestsOf(listings: readonly string[]): Promise<void> {
      const keys = db.selectFrom('announcement_progress').select('key');
      const stored = await run(connection, keys.where('key', 'like', `${progressKeys.digestPrefix}%`));
      const kept = listings.map(progressKeys.digest);
      for (const { key } of stored.filter((each) => !kept.includes(each.key))) {
        await run(connection, db.deleteFrom('announcement_progress').where('key', '=', key));
      }
    },

    async planLostStreaks(lost: PlannedLostStreaks, now: number): Promise<string | null> {
      const { key, channelId, listing, checkedUntil, until, streaks, more } = lost;
      const isFirst = await advance(progressKeys.lostStreaks(key), checkedUntil, until);
      if (!isFirst || streaks.length === 0) return null;
      const content = { channelId, listing, until, streaks, more };
      await enqueue([{ kind: 'lostStreaks', queue: channelId, content, deliveryId: null, createdAt: now }]);
      return channelId;
    },

    async claimReviewPoll(listing: string, now: number, nextAt: number): Promise<boolean> {
      const key = progressKeys.reviewPoll(listing);
      await lock(connection, db, key);
      if (!isPollDue(await progressOf(key), now)) return false;
      await setProgress(key, nextAt);
      return true;
    },

    async announceReviews(listed: ListedReviews, now: number): Promise<number> {
      const { listing, channelId, handled = null, reviews, isPartial } = listed;
      const key = progressKeys.reviews(listing);
      await lock(connection, db, key);
      const since = await progressOf(key);
      const stored = db.selectFrom('announced_reviews').select('review').where('listing', '=', listing);
      const known = new Set((await run(connection, stored)).map(({ review }) => review));
      const unknown = reviews.filter((review) => !known.has(review.id));
      for (const { id, createdAt } of unknown) {
        const row = { listing, review: id, at: createdAt };
        const insert = db.insertInto('announced_reviews').values(row);
        await run(
          connection,
          insert.onConflict((conflict) => conflict.columns(['listing', 'review']).doNothing()),
        );
      }
      // Without a time, a review that enters a full list may be old.
      const isNew = ({ createdAt }: { readonly createdAt: number | null }) =>
        since !== null && (createdAt === null ? !isPartial : createdAt > since);
      const announced = unknown.filter(isNew).toReversed();
      await enqueue(
        announced.flatMap(({ id, ...review }) => [
          ...(channelId === null ? [] : [reviewEffect({ channelId, listing, id, review }, now)]),
          ...(handled === null ? [] : [reviewCall(handled, id, review, now)]),
        ]),
      );
      // Once the list is longer than a response, an older review can enter it after a newer one was deleted.
      const oldest = Math.min(...reviews.flatMap(({ createdAt }) => createdAt ?? []));
      const threshold = Math.max(since ?? 0, isPartial && Number.isFinite(oldest) ? oldest : 0);
      await setProgress(key, threshold);
      const old = db.deleteFrom('announced_reviews').where('listing', '=', listing).where('at', '<', threshold);
      await run(connection, old);
      return announced.length;
    },
  };
}

function reviewEffect(content: ReviewAnnouncement, createdAt: number): NewEffect {
  return { kind: 'review', queue: content.channelId, content, deliveryId: null, createdAt };
}

/** The call of the handler for a review. */
function reviewCall(listing: HandlerListing, id: string, review: Review, now: number): NewEffect {
  const { username, rating, comment, createdAt } = review;
  const { guildId } = listing;
  const event: ReviewEvent = {
    ...{ type: 'review', listing, guildId, deliveryId: null, userId: null, at: createdAt ?? now },
    ...{ username, rating, comment },
  };
  const content = { id: `review-${listing.name}-${id}`, event };
  return { kind: 'handler', queue: handlerQueue('review', guildId), content, deliveryId: null, createdAt: now };
}

/** Whether the reviews of a listing are to be polled; `dueAt` is null before the first time. */
export function isPollDue(dueAt: number | null, now: number): boolean {
  return dueAt === null || dueAt <= now || dueAt > now + maxClaimMs;
}

export function selectProgress(db: Kysely<Tables>, key: string) {
  return db.selectFrom('announcement_progress').select('until_at').where('key', '=', key);
}
