import { setImmediate } from 'node:timers/promises';
import { voteCooldownMs } from '../../listing/cooldown.ts';
import type { Database, Sql } from '../database.ts';

/** The user id in the votes of members who have deleted their data. */
export const anonymousId = 'anonymous';

/** Listings that are searched together: votes and reviews have indexes by listing first. */
const chunkSize = 500;

/** The votes of a member (ms since the epoch, oldest first) and the review, by listing. */
export async function* memberListings(database: Database, userId: string) {
  for await (const { listings, ids } of listingChunks(database)) {
    const votes = await database
      .selectFrom('votes')
      .select(['listing_id', 'voted_at'])
      .where('listing_id', 'in', ids(database))
      .where('user_id', '=', userId)
      .orderBy('voted_at')
      .execute();
    const reviews = await database
      .selectFrom('reviews')
      .select(['listing_id', 'rating', 'comment', 'created_at'])
      .where('listing_id', 'in', ids(database))
      .where('user_id', '=', userId)
      .execute();
    const votesOf = Map.groupBy(votes, (vote) => vote.listing_id);
    const reviewOf = new Map(reviews.map((review) => [review.listing_id, review]));
    for (const listing of listings) {
      const review = reviewOf.get(listing.id);
      const votedAt = votesOf.get(listing.id)?.map((vote) => vote.voted_at) ?? [];
      if (review === undefined && votedAt.length === 0) continue;
      yield {
        listing,
        votes: votedAt,
        review: review ? { rating: review.rating, comment: review.comment, createdAt: review.created_at } : null,
      };
    }
  }
}

/**
 * All listings in chunks, with a turn of the event loop between them. Each has the query of its ids: a list of hundreds
 * of ids would take longer than the search.
 */
async function* listingChunks(database: Database) {
  for (let after = ''; ; ) {
    const listings = await database
      .selectFrom('listings')
      .select(['id', 'kind', 'name'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(chunkSize)
      .execute();
    const last = listings.at(-1);
    if (last === undefined) return;
    const [from, to] = [after, last.id];
    const ids = (sql: Sql) => sql.selectFrom('listings').select('id').where('id', '>', from).where('id', '<=', to);
    yield { listings, ids };
    after = last.id;
    await setImmediate();
  }
}

/**
 * Deletes a member: name, reviews, reports, and the access to listings of others. Votes remain counted, without the member's id. Votes of the last twelve
 * hours lose it when the cooldown is over, so that nobody votes twice by deleting their data; see
 * {@link finishMemberDeletions}.
 * @param now ms since the epoch
 */
export async function deleteMemberData(database: Database, userId: string, now: number): Promise<void> {
  await database.transaction().execute(async (sql) => {
    await sql
      .insertInto('member_deletions')
      .values({ user_id: userId, requested_at: now })
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ requested_at: now }))
      .execute();
    const tables = ['members', 'co_owners', 'proven_guilds', 'sign_in_links', 'connect_requests'] as const;
    for (const table of tables) await sql.deleteFrom(table).where('user_id', '=', userId).execute();
    await sql.deleteFrom('reports').where('reporter_id', '=', userId).execute();
  });
  await anonymize(database, userId, { reviewsUntil: now, votesUntil: now - voteCooldownMs });
}

/** Anonymizes what remained of deleted members because of the cooldown, or of a process that was stopped. */
export async function finishMemberDeletions(database: Database, now: number): Promise<void> {
  const due = await database
    .selectFrom('member_deletions')
    .selectAll()
    .where('requested_at', '<=', now - voteCooldownMs)
    .execute();
  for (const { user_id: userId, requested_at: requestedAt } of due) {
    await anonymize(database, userId, { reviewsUntil: requestedAt, votesUntil: requestedAt });
    await database
      .deleteFrom('member_deletions')
      .where('user_id', '=', userId)
      .where('requested_at', '=', requestedAt)
      .execute();
  }
}

async function anonymize(
  database: Database,
  userId: string,
  { reviewsUntil, votesUntil }: { readonly reviewsUntil: number; readonly votesUntil: number },
): Promise<void> {
  for await (const { ids } of listingChunks(database)) {
    await database.transaction().execute(async (sql) => {
      const reviews = await sql
        .deleteFrom('reviews')
        .where('listing_id', 'in', ids(sql))
        .where('user_id', '=', userId)
        .where('created_at', '<=', reviewsUntil)
        .returning('id')
        .execute();
      if (reviews.length > 0) {
        const reviewIds = reviews.map(({ id }) => id);
        await sql.deleteFrom('review_replies').where('review_id', 'in', reviewIds).execute();
      }
      await sql
        .updateTable('votes')
        .set({ user_id: anonymousId })
        .where('listing_id', 'in', ids(sql))
        .where('user_id', '=', userId)
        .where('voted_at', '<=', votesUntil)
        .execute();
    });
  }
}
