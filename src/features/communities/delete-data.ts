import { setImmediate as nextTurn } from 'node:timers/promises';
import type { GuildDataStore, GuildRows, ScannedRows } from '../../core/store/guild-data.ts';
import { rowsPerWrite } from '../../core/store/sql-module.ts';

const noRows: GuildRows = { deliveries: [], effects: [], orders: [], listings: [] };

/**
 * Deletes the accounts of a community and all else that is stored of the listings that it has linked, except the keys of
 * recorded events. In many small transactions, so that a vote for another community does not wait; after an interruption
 * it can be repeated. The community of the operator's listings keeps everything. A vote that is received meanwhile can leave an account: to be
 * called after its webhook secrets were deleted, and before its settings are, which have the names of the listings. Ends
 * early after `signal`. Rejects with the errors of the store.
 */
export async function deleteGuildData(store: GuildDataStore, guildId: string, signal: AbortSignal): Promise<void> {
  const ended = await store.ended(guildId);
  if (ended === null) return;
  const communityId = ended;
  const listings = await store.listings(guildId);

  await deleteAccounts();
  for (let at: number | null = 0; at !== null; ) {
    if (signal.aborted) return;
    at = await store.deleteOfFeature({ guildId, communityId, listings }, at);
  }
  await deleteOrders();
  await scan('deliveries', (after) => store.deliveriesAfter(after, listings));
  // Those without a delivery, which name a listing or the guild. Effects of deliveries were deleted with them.
  await scan('effects', (after) => store.effectsAfter(after, { guildId, communityId, listings }));
  while (!signal.aborted && (await store.deletePlanned(communityId)));
  if (signal.aborted) return;
  await store.deleteRows(communityId, { ...noRows, listings });

  async function deleteAccounts(): Promise<void> {
    while (!signal.aborted) {
      const accountId = await store.firstAccount(communityId);
      if (accountId === null) return;
      await store.deleteAccountEntries(accountId);
    }
  }

  async function deleteOrders(): Promise<void> {
    while (!signal.aborted) {
      const orders = await store.orders(communityId);
      if (orders.length === 0) return;
      await store.deleteRows(communityId, { ...noRows, orders });
    }
  }

  /** Deletes rows that no index finds, some per query. */
  async function scan(name: 'deliveries' | 'effects', read: (after: number) => Promise<ScannedRows>): Promise<void> {
    for (let after = -1; !signal.aborted; ) {
      const { ids, lastId } = await read(after);
      for (let at = 0; at < ids.length && !signal.aborted; at += rowsPerWrite) {
        await store.deleteRows(communityId, { ...noRows, [name]: ids.slice(at, at + rowsPerWrite) });
      }
      if (lastId === null) return;
      after = lastId;
      await nextTurn();
    }
  }
}
