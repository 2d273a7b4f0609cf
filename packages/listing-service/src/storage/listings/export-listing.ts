import { isoTime } from '@tallyhook/platform/durations';
import type { Database, Sql } from '../database.ts';
import { deliveryRecords } from '../deliveries/deliveries.ts';
import { findWebhook } from '../deliveries/webhooks.ts';
import { purchasesOf } from '../purchases.ts';
import { findReviews } from '../reviews.ts';
import { votesBefore } from '../votes.ts';
import { keysOfListing } from './keys.ts';
import type { StoredListing } from './listings.ts';

const chunkSize = 500;

/** The single values of an export: neither keys nor webhooks with their secrets. */
export async function exportedProfile(database: Database, listing: StoredListing): Promise<Record<string, unknown>> {
  const keys = await keysOfListing(database, listing.id);
  const webhooks: Record<string, unknown> = {};
  for (const family of ['vote', 'premium'] as const) {
    const webhook = await findWebhook(database, listing.id, family);
    if (webhook) webhooks[family] = { url: webhook.url, isPaused: webhook.paused !== null };
  }
  const { iconVersion, createdAt, ownerId: _ownerId, ...profile } = listing;
  return {
    listing: { ...profile, createdAt: isoTime(createdAt), hasIcon: iconVersion !== null },
    keys: keys.map(({ label, hint, createdAt: at, lastUsedAt }) => ({
      name: label,
      endsIn: hint,
      createdAt: isoTime(at),
      lastUsedAt: isoTime(lastUsedAt),
    })),
    webhooks,
  };
}

/** The lists of an export by name, in chunks: they may be long. Newest first, except purchases. */
export function exportedLists(database: Database, listingId: string) {
  return {
    votes: chunksOf(database, listingId, votesBefore, ({ id: _id, votedAt, denialReason, ...voter }) => {
      return { ...voter, votedAt: isoTime(votedAt), denialReason };
    }),
    reviews: chunksOf(database, listingId, findReviews, ({ id: _id, createdAt, reply, ...review }) => ({
      ...review,
      createdAt: isoTime(createdAt),
      reply: reply && { text: reply.text, repliedAt: isoTime(reply.repliedAt) },
    })),
    purchases: exportedPurchases(database, listingId),
    deliveries: chunksOf(database, listingId, deliveryRecords, (delivery) => {
      const { id, family, event, test, state, createdAt, body, attemptHistory } = delivery;
      const attempts = attemptHistory.map(({ at, ...attempt }) => ({ at: isoTime(at), ...attempt }));
      return { id, family, event, test, state, createdAt: isoTime(createdAt), body, attempts };
    }),
  };
}

/** Rows in chunks, each of those after the last of the chunk before. */
async function* chunksOf<Cursor, Row extends Cursor>(
  database: Database,
  listingId: string,
  read: (sql: Sql, id: string, page: { before: Cursor | undefined; limit: number }) => Promise<readonly Row[]>,
  toItem: (row: Row) => object,
) {
  for (let before: Row | undefined; ; ) {
    const rows: readonly Row[] = await read(database, listingId, { before, limit: chunkSize });
    before = rows.at(-1);
    if (before === undefined) return;
    yield rows.map(toItem);
  }
}

async function* exportedPurchases(database: Database, listingId: string) {
  const purchases = await purchasesOf(database, listingId, Number.MAX_SAFE_INTEGER);
  yield purchases.map(({ listingId: _listing, createdAt, currentPeriodEnd, ...purchase }) => ({
    ...purchase,
    createdAt: isoTime(createdAt),
    currentPeriodEnd: isoTime(currentPeriodEnd),
  }));
}
