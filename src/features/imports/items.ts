import { type AccountId, type CommunityId, partsOf } from '../../core/ledger/account.ts';
import type { Entry } from '../../core/ledger/entry.ts';
import { addEventKeys, run } from '../../core/store/query-builder.ts';
import type { Sql } from '../../core/store/sql-module.ts';
import { noDelivery, type Tables } from '../../core/store/tables.ts';
import { voteKey } from '../../core/tally/idempotency-key.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';

/** Maximum amount that one row credits. A higher one is treated as an error in the file. */
export const maxImportedCredits = 1_000_000_000;

/** An import from another program, under one name. */
export interface ImportDescription {
  readonly name: string;
  readonly communityId: CommunityId;
}

/** Where and as what items are stored. Plain data. */
export interface ImportTarget {
  readonly importId: number;
  readonly communityId: CommunityId;
  readonly reason: string;
  readonly listings: readonly ListingContext[];
}

/** The key of the balance of an account. All other items are votes. */
export const balanceKey = 'balance';

export interface ImportItem {
  readonly userId: string;
  /** {@link balanceKey}, or identifies a vote of the account in its import, so that it is credited once. */
  readonly key: string;
  /** Whole credits, 0 or more; a vote may have some too. */
  readonly credits: number;
  /** Null for a balance. `at` in ms. `isTotal`: only the number of votes is known, so no cooldown applies. */
  readonly vote: { readonly listing: string; readonly at: number; readonly isTotal: boolean } | null;
}

/**
 * The outcome of an item. `imported`: credited before under the same name. `different`: imported before with another
 * amount, `credits`. `within_cooldown`: the ledger has another counted vote too close to it.
 */
export type ItemOutcome =
  | { readonly outcome: 'credited' | 'imported' | 'within_cooldown' }
  | { readonly outcome: 'different'; readonly credits: number };

export type ImportState = Tables['imports']['state'];

/** Credits and votes that an undo took from one member. `spent`: credits that the member no longer had. */
export interface UndoneMember {
  readonly credits: number;
  readonly spent: number;
  readonly votes: number;
}

/*
 * On other sites a vote with a time is paid however close to another one it is, so the delivery of an imported vote is
 * recognised by its key, as that of a claimed one.
 */

type ImportedVote = Pick<Entry, 'accountId' | 'listing' | 'at'>;

/** Makes deliveries of these votes duplicates. */
export function addVoteKeys(
  sql: Sql,
  target: Pick<ImportTarget, 'listings'>,
  votes: readonly ImportedVote[],
): Promise<void> {
  // A member who was forgotten has left keys.
  return addEventKeys(sql, keysOf(target, votes));
}

/** Has deliveries of these votes count again. */
export async function removeVoteKeys(
  { db, connection }: Sql,
  target: Pick<ImportTarget, 'listings'>,
  accountId: AccountId,
  votes: readonly Omit<ImportedVote, 'accountId'>[],
): Promise<void> {
  const own = votes.map((vote) => ({ ...vote, accountId }));
  const keys = keysOf(target, own);
  if (keys.length === 0) return;
  const imported = db.deleteFrom('event_keys').where('delivery_id', '=', noDelivery);
  await run(connection, imported.where('key', 'in', keys));
}

function keysOf({ listings }: Pick<ImportTarget, 'listings'>, votes: readonly ImportedVote[]): Buffer[] {
  const onSites = listings.filter(({ rewards }) => rewards.base.site !== undefined);
  return votes.flatMap(({ accountId, listing: name, at }) => {
    const { communityId: id, userId } = partsOf(accountId);
    const isOnSite = name !== null && onSites.some((listing) => listing.name === name);
    return isOnSite ? [Buffer.from(voteKey({ at, userId }, { name, community: { id } }, at), 'hex')] : [];
  });
}
