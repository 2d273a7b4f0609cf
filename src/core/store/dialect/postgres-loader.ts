import { type AccountId, accountIdOf, type CommunityId, scopedKey } from '../../ledger/account.ts';
import type { StoredGrant } from '../../rewards/grant.ts';
import type { Outage } from '../../rewards/outages.ts';
import { type AccountState, isEmpty } from '../../tally/account-state.ts';
import type { EventKey } from '../../tally/idempotency-key.ts';
import type { Order, PastVote, StoredCorrection } from '../../tally/tally.ts';
import { lock } from '../lock.ts';
import { run, type SqlAccess } from '../query-builder.ts';
import { type HotTable, isInitial, keyOf } from '../recording/hot-table.ts';
import { addRow, addScoped, type Needs, noNeeds, type VoteRange } from '../recording/needs.ts';
import {
  selectCorrections,
  selectOrderNames,
  selectOrders,
  selectQuarantined,
  toCorrection,
  toGrant,
  toOrder,
} from '../recording/queries.ts';
import type { RecordingReads } from '../recording/unit-of-work.ts';
import { lockAccounts, lockRows, selectEventsAndIds, selectForgottenVotes, selectVotes } from './postgres-reads.ts';

/** A decision needs something that is not loaded yet. It is noted in the needs of these reads. */
export class NotLoadedError extends Error {}

/**
 * Reads what decisions need, and locks it until the end of the transaction. Locks are taken in the same order by every
 * transaction, so that none waits for another in a circle: orders, quarantined deliveries by id, rows of the features by
 * their keys, accounts by id. Everything else is protected by one of them, or by a unique key.
 */
export function createLoader(access: SqlAccess) {
  const { db, connection } = access;
  const accounts = new Map<AccountId, AccountState>();
  const emptyAccounts: AccountId[] = [];
  const events = new Map<EventKey, number | null>();
  const forgottenVotes = new Map<EventKey, number | null>();
  /** By {@link scopedKey} of each id, and of each idempotency key. */
  const ordersById = new Map<string, readonly Order[]>();
  const quarantined = new Map<number, boolean>();
  const corrections = new Map<string, StoredCorrection | null>();
  const grants = new Map<string, readonly StoredGrant[]>();
  const rowsOf = new Map<HotTable, Map<string, object>>();
  const votes = new Map<string, readonly PastVote[]>();
  let outages: readonly Outage[] = [];
  const deliveryIds: number[] = [];
  const entryIds: number[] = [];

  /** Returns the accounts of their holders. */
  async function loadOrders(communityId: CommunityId, ids: readonly string[]): Promise<readonly AccountId[]> {
    const names = await run(connection, selectOrderNames(db, communityId, ids));
    const orders = (await run(connection, selectOrders(db, communityId, ids))).map((row) => toOrder(row, names));
    for (const id of ids)
      ordersById.set(
        scopedKey(communityId, id),
        orders.filter(({ orderIds }) => orderIds.includes(id)),
      );
    return orders.flatMap(({ userId }) => (userId === null ? [] : accountIdOf(communityId, userId)));
  }

  async function loadQuarantined(ids: readonly number[]): Promise<void> {
    const rows = await run(connection, selectQuarantined(db, ids).orderBy('id').forUpdate());
    const found = new Set(rows.map(({ id }) => id));
    for (const id of ids) quarantined.set(id, found.has(id));
  }

  async function loadAccounts(ids: readonly AccountId[]): Promise<void> {
    for (const account of await lockAccounts(access, ids)) {
      accounts.set(account.id, account);
      if (isEmpty(account)) emptyAccounts.push(account.id);
    }
    // A text that PostgreSQL stores differently would be missing again at each attempt.
    const invalid = ids.find((id) => !accounts.has(id));
    if (invalid !== undefined) throw new Error(`PostgreSQL cannot store the user id ${JSON.stringify(invalid)}.`);
  }

  async function loadRows(table: HotTable, keys: ReadonlySet<string>): Promise<void> {
    const loaded = rowsOf.get(table) ?? new Map<string, object>();
    rowsOf.set(table, loaded);
    for (const row of await lockRows(access, table, [...keys].sort())) loaded.set(keyOf(table, row), row);
  }

  /** Protected by the lock of their user's account. */
  async function loadGrants(userIds: readonly string[]): Promise<void> {
    const rows = await run(connection, db.selectFrom('grants').selectAll().where('user_id', 'in', userIds));
    for (const userId of userIds) grants.set(userId, rows.filter((row) => row.user_id === userId).map(toGrant));
  }

  async function loadCorrections(communityId: CommunityId, keys: readonly string[]): Promise<void> {
    const rows = (await run(connection, selectCorrections(db, communityId, keys))).map(toCorrection);
    for (const key of keys) {
      const stored = rows.find(({ idempotencyKey }) => idempotencyKey === key) ?? null;
      corrections.set(scopedKey(communityId, key), stored);
    }
  }

  async function loadEventsAndIds(keys: readonly EventKey[], idCount: number): Promise<void> {
    const loaded = await selectEventsAndIds(access, keys, idCount);
    for (const key of keys) events.set(key, loaded.events.get(key) ?? null);
    outages = loaded.outages;
    deliveryIds.push(...loaded.deliveryIds);
    entryIds.push(...loaded.entryIds);
  }

  /** Protected by the lock of their user's account. */
  async function loadForgottenVotes(keys: readonly EventKey[]): Promise<void> {
    const found = await selectForgottenVotes(access, keys);
    for (const key of keys) forgottenVotes.set(key, found.get(key) ?? null);
  }

  async function loadVotes(ranges: readonly VoteRange[]): Promise<void> {
    const found = await selectVotes(access, ranges);
    for (const [index, range] of ranges.entries()) votes.set(nameOf(range), found[index] ?? []);
  }

  return {
    /** The accounts without entries, whose balance has been inserted to lock it. */
    emptyAccounts,

    /** The keys of rows of the features that say nothing, and may have been inserted to lock them. */
    initialKeys: (): readonly (readonly [table: HotTable, keys: readonly string[]])[] =>
      [...rowsOf].map(([table, rows]) => {
        const initial = [...rows].filter(([, row]) => isInitial(table, row));
        return [table, initial.map(([key]) => key)];
      }),

    async load(needs: Needs): Promise<void> {
      const { accounts: accountIds, events: keys, orderIds, replayedIds, idempotencyKeys, voteRanges, newIds } = needs;
      const ofHolders: AccountId[] = [];
      // Orders are rare, and an event can show that two are the same, so all have one lock.
      if (orderIds.size > 0) await lock(connection, db, 'orders');
      for (const [scope, ids] of orderIds) ofHolders.push(...(await loadOrders(scope, [...ids])));
      if (replayedIds.size > 0) await loadQuarantined([...replayedIds]);
      const newAccounts = [...new Set([...accountIds, ...ofHolders])].filter((id) => !accounts.has(id));
      // One round trip. Each statement sees what was committed before it started, so the reads after the locks see
      // what these protect.
      await Promise.all([
        ...[...needs.rows].map(([table, keys]) => loadRows(table, keys)),
        newAccounts.length > 0 && loadAccounts(newAccounts.sort()),
        needs.grantees.size > 0 && loadGrants([...needs.grantees]),
        ...[...idempotencyKeys].map(([scope, keys]) => loadCorrections(scope, [...keys])),
        needs.forgottenVotes.size > 0 && loadForgottenVotes([...needs.forgottenVotes]),
        (keys.size > 0 || newIds > 0) && loadEventsAndIds([...keys], newIds),
      ]);
      if (voteRanges.length > 0) await loadVotes(voteRanges);
    },

    /**
     * Reads for one attempt at the decisions of a batch. They add what is not loaded to `missing`, and throw. `newEvents`:
     * the deliveries of the events that the attempt has added.
     */
    createReads() {
      const missing = noNeeds();
      const newEvents = new Map<EventKey, number>();

      function notLoaded(_noted: unknown): never {
        throw new NotLoadedError();
      }
      function noIdLeft(): never {
        missing.newIds += 1;
        throw new NotLoadedError();
      }
      const reads: RecordingReads = {
        account: (id) => accounts.get(id) ?? notLoaded(missing.accounts.add(id)),
        votesBetween(account, listing, after, before) {
          const range = { account, listing, after, before };
          return votes.get(nameOf(range)) ?? notLoaded(missing.voteRanges.push(range));
        },
        grantsOf: (userId) => grants.get(userId) ?? notLoaded(missing.grantees.add(userId)),
        row: (table, key) => rowsOf.get(table)?.get(key) ?? notLoaded(addRow(missing, table, key)),
        outages: () => outages,
        deliveryOf(key) {
          const deliveryId = newEvents.get(key) ?? events.get(key);
          return deliveryId === undefined ? notLoaded(missing.events.add(key)) : deliveryId;
        },
        addEvent(keys, deliveryId) {
          // All of them, so that those that are missing are loaded together.
          if (keys.map(reads.deliveryOf).some((known) => known !== null)) return false;
          for (const key of keys) newEvents.set(key, deliveryId);
          return true;
        },
        forgottenVoteAt(keyOfVote) {
          const key = keyOfVote();
          const at = forgottenVotes.get(key);
          return at === undefined ? notLoaded(missing.forgottenVotes.add(key)) : at;
        },
        orders(scope, orderIds) {
          const find = (id: string) =>
            ordersById.get(scopedKey(scope, id)) ?? notLoaded(addScoped(missing.orderIds, scope, [id]));
          const found = orderIds.map(find);
          return [...new Map(found.flat().map((order) => [order.orderIds[0], order])).values()];
        },
        isQuarantined: (id) => quarantined.get(id) ?? notLoaded(missing.replayedIds.add(id)),
        correction(scope, key) {
          const correction = corrections.get(scopedKey(scope, key));
          return correction === undefined ? notLoaded(addScoped(missing.idempotencyKeys, scope, [key])) : correction;
        },
        deliveryIdAt: (place) => deliveryIds[place] ?? noIdLeft(),
        entryIdAt: (place) => entryIds[place] ?? noIdLeft(),
      };
      return { reads, missing, newEvents };
    },
  };
}

function nameOf({ account, listing, after, before }: VoteRange): string {
  return `${account.id} ${after} ${before} ${listing}`;
}
