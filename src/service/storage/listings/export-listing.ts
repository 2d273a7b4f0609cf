import type { Database } from '../database.ts';
import { attemptsOf, deliveriesOf } from '../deliveries/deliveries.ts';
import { findWebhook } from '../deliveries/webhooks.ts';
import { purchasesOf } from '../purchases.ts';
import { type PageReview, reviewsBefore } from '../reviews.ts';
import { keysOfListing } from './keys.ts';
import type { StoredListing } from './listings.ts';

/** Rows per statement. */
const chunkSize = 500;

/** The single values of an export: neither keys nor webhooks with their secrets. */
export async function exportedProfile(database: Database, listing: StoredListing): Promise<Record<string, unknown>> {
  const keys = await keysOfListing(database, listing.id);
  const webhooks: Record<string, unknown> = {};
  for (const family of ['vote', 'premium'] as const) {
    const webhook = await findWebhook(database, listing.id, family);
    if (webhook) webhooks[family] = { url: webhook.url, isPaused: webhook.paused !== null };
  }
  const { iconVersion, createdAt, ...profile } = listing;
  return {
    listing: { ...profile, createdAt: iso(createdAt), hasIcon: iconVersion !== null },
    keys: keys.map(({ label, hint, createdAt: at, lastUsedAt }) => ({
      name: label,
      endsIn: hint,
      createdAt: iso(at),
      lastUsedAt: lastUsedAt === null ? null : iso(lastUsedAt),
    })),
    webhooks,
  };
}

/** The lists of an export by name, in chunks: they may be long. Newest first, except purchases. */
export const exportedLists: Readonly<
  Record<string, (database: Database, listingId: string) => AsyncGenerator<readonly unknown[]>>
> = {
  votes: exportedVotes,
  reviews: exportedReviews,
  purchases: exportedPurchases,
  deliveries: exportedDeliveries,
};

async function* exportedVotes(database: Database, listingId: string) {
  let before = { votedAt: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER };
  for (;;) {
    const { votedAt, id } = before;
    const rows = await database
      .selectFrom('votes')
      .leftJoin('members', 'members.user_id', 'votes.user_id')
      .select(['votes.id', 'votes.user_id', 'votes.voted_at', 'votes.denial_reason', 'members.username'])
      .where('votes.listing_id', '=', listingId)
      .where('votes.voted_at', '<=', votedAt)
      .where((row) => row.or([row('votes.voted_at', '<', votedAt), row('votes.id', '<', id)]))
      .orderBy('votes.voted_at', 'desc')
      .orderBy('votes.id', 'desc')
      .limit(chunkSize)
      .execute();
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map((row) => ({
      userId: row.user_id,
      username: row.username,
      votedAt: iso(row.voted_at),
      denialReason: row.denial_reason,
    }));
    before = { votedAt: last.voted_at, id: last.id };
  }
}

async function* exportedReviews(database: Database, listingId: string) {
  let before: PageReview | undefined;
  for (;;) {
    const reviews = await reviewsBefore(database, listingId, { before, limit: chunkSize });
    const last = reviews.at(-1);
    if (last === undefined) return;
    yield reviews.map(({ id: _id, createdAt, reply, ...review }) => ({
      ...review,
      createdAt: iso(createdAt),
      reply: reply && { text: reply.text, repliedAt: iso(reply.repliedAt) },
    }));
    before = last;
  }
}

async function* exportedPurchases(database: Database, listingId: string) {
  const purchases = await purchasesOf(database, listingId, Number.MAX_SAFE_INTEGER);
  yield purchases.map(({ listingId: _listing, createdAt, currentPeriodEnd, ...purchase }) => ({
    ...purchase,
    createdAt: iso(createdAt),
    currentPeriodEnd: currentPeriodEnd === null ? null : iso(currentPeriodEnd),
  }));
}

async function* exportedDeliveries(database: Database, listingId: string) {
  let before: { createdAt: number; id: string } | undefined;
  for (;;) {
    const deliveries = await deliveriesOf(database, listingId, { limit: chunkSize, before });
    const last = deliveries.at(-1);
    if (last === undefined) return;
    const attempts = await attemptsOf(
      database,
      deliveries.map(({ id }) => id),
    );
    yield deliveries.map(({ id, family, event, test, state, createdAt, body }) => ({
      ...{ id, family, event, test, state },
      createdAt: iso(createdAt),
      body,
      attempts: (attempts.get(id) ?? []).map(({ at, ...attempt }) => ({ at: iso(at), ...attempt })),
    }));
    before = last;
  }
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
