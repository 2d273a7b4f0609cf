import { type AccountId, partsOf } from '../../core/ledger/account.ts';
import type { Entry } from '../../core/ledger/entry.ts';
import { run } from '../../core/store/query-builder.ts';
import type { Sql } from '../../core/store/sql-module.ts';
import { noDelivery } from '../../core/store/tables.ts';
import { voteKey } from '../../core/tally/idempotency-key.ts';
import type { ImportTarget } from './items.ts';

/*
 * On other sites a vote with a time is paid however close to another one it is, so the delivery of an imported vote is
 * recognised by its key, as that of a claimed one.
 */

type ImportedVote = Pick<Entry, 'accountId' | 'listing' | 'at'>;

/** Makes deliveries of these votes duplicates. */
export async function addVoteKeys(
  { db, connection }: Sql,
  target: Pick<ImportTarget, 'listings'>,
  votes: readonly ImportedVote[],
): Promise<void> {
  const values = keysOf(target, votes).map((key) => ({ key, delivery_id: noDelivery }));
  if (values.length === 0) return;
  // A member who was forgotten has left keys.
  const insert = db.insertInto('event_keys').values(values);
  await run(
    connection,
    insert.onConflict((conflict) => conflict.doNothing()),
  );
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
