import type { Selectable } from 'kysely';
import { type AccountId, type CommunityId, scopedKey } from '../../ledger/account.ts';
import { allVoteCauses, type Entry } from '../../ledger/entry.ts';
import { assertOwnQueue, type NewEffect } from '../../outbox/effect-kind.ts';
import type { Outage } from '../../rewards/calendar.ts';
import { type AccountState, withEntry } from '../../tally/account-state.ts';
import type { EventKey } from '../../tally/idempotency-key.ts';
import { mergeOrders, type Order } from '../../tally/order.ts';
import type { Hooks, PastVote, StoredCorrection, Tally } from '../../tally/tally.ts';
import { planRow } from '../outbox/enqueue.ts';
import { noDelivery, type Tables } from '../tables.ts';
import { type HotTable, keyOf } from './hot-table.ts';
import { type DeliveryChange, grants, plannedEffects, toGrant } from './queries.ts';

/** A new entry with its place in its user's history. */
export interface NewEntry extends Entry {
  readonly id: number;
  readonly previous: number | null;
  readonly number: number;
}

/** Everything that the decisions of one batch write, in the order of the decisions. */
export type Changes = ReturnType<typeof noChanges>;

function noChanges() {
  return {
    newDeliveries: [] as DeliveryChange[],
    replayedDeliveries: [] as DeliveryChange[],
    entries: [] as NewEntry[],
    /** The changed accounts, after their last entry. */
    accounts: new Map<AccountId, AccountState>(),
    effects: [] as NewEffect[],
    /** The grants, the planned effects, and the rows of the features' tables, by their keys. */
    rows: new Map<HotTable, Map<string, object>>(),
    orders: [] as { readonly order: Order; readonly at: number }[],
    corrections: [] as StoredCorrection[],
  };
}

/**
 * Reads of decisions from the database, inside the transaction that writes their changes. Any method may throw to have
 * the whole batch decided again with more data.
 */
export interface RecordingReads {
  account(accountId: AccountId): AccountState;
  votesBetween(account: AccountState, listing: string | null, after: number, before: number): readonly PastVote[];
  grantsOf(userId: string): readonly Selectable<Tables['grants']>[];
  row(table: HotTable, key: string): object;
  outages(): readonly Outage[];
  /** Null if no event is recorded under the key, nor added to it. */
  deliveryOf(key: EventKey): number | null;
  /** Records an event under all of its keys, and returns true, unless one of them is known. The transaction writes it. */
  addEvent(keys: readonly EventKey[], deliveryId: number): boolean;
  forgottenVoteAt(key: () => EventKey): number | null;
  /** All orders of a community with any of these ids, by ascending primary key. */
  orders(communityId: CommunityId, orderIds: readonly string[]): readonly Order[];
  isQuarantined(deliveryId: number): boolean;
  correction(communityId: CommunityId, idempotencyKey: string): StoredCorrection | null;
  /** Ids of new rows, by their place in the batch. */
  deliveryIdAt(place: number): number;
  entryIdAt(place: number): number;
}

/** A tally over the database as it was read plus the changes of the batch so far, which it collects. */
export function createUnitOfWork(reads: RecordingReads, hooks: readonly Hooks[], secret: string) {
  const changes = noChanges();
  /** The orders that the batch has saved, by their community and each of their ids. */
  const savedOrders = new Map<string, Order>();

  const tally: Tally = {
    hooks,
    secret,

    accountState: (accountId) => changes.accounts.get(accountId) ?? reads.account(accountId),

    append(account, entry) {
      const id = reads.entryIdAt(changes.entries.length);
      const updated = withEntry(account, entry, id);
      changes.entries.push({ ...entry, id, previous: account.lastEntry, number: updated.entries });
      changes.accounts.set(account.id, updated);
      return updated;
    },

    saveAccount: (account) => void changes.accounts.set(account.id, account),

    votesBetween(account, listing, after, before) {
      const added = changes.entries.filter(
        (entry) => entry.accountId === account.id && isVoteBetween(entry, listing, after, before),
      );
      // The account may already link to entries that are not written yet.
      const stored = reads.account(account.id);
      return [...added, ...reads.votesBetween(stored, listing, after, before)];
    },

    insertDelivery(row) {
      const id = reads.deliveryIdAt(changes.newDeliveries.length);
      if (!reads.addEvent(row.eventKeys, id)) return null;
      changes.newDeliveries.push({ ...row, id });
      return id;
    },

    updateDelivery(id, row) {
      if (changes.replayedDeliveries.some((replayed) => replayed.id === id) || !reads.isQuarantined(id)) return false;
      // A delivery that was refused, or held until Discord answers, has its keys already.
      const added = row.eventKeys.filter((key) => reads.deliveryOf(key) !== id);
      if (!reads.addEvent(added, id)) return false;
      changes.replayedDeliveries.push({ ...row, id });
      return true;
    },

    hasEvent: (key) => reads.deliveryOf(key) !== null,

    addEvent: (key) => void reads.addEvent([key], noDelivery),

    deliveryOf: (key) => reads.deliveryOf(key) || null,

    forgottenVoteAt: (key) => reads.forgottenVoteAt(key),

    grantsOf(userId) {
      const stored = reads.grantsOf(userId).map((row) => [keyOf(grants, row), row] as const);
      const changed = (changes.rows.get(grants) ?? new Map()) as ReadonlyMap<string, Selectable<Tables['grants']>>;
      const rows = [...new Map([...stored, ...changed]).values()];
      return rows.filter((row) => row.user_id === userId).map(toGrant);
    },

    saveGrant: ({ userId: user_id, guildId: guild_id, role, source, until, state }) =>
      tally.saveRow(grants, { user_id, guild_id, role, source, until, state }),

    rowOf<Row extends object>(table: HotTable<Row>, key: string) {
      return (changes.rows.get(table)?.get(key) ?? reads.row(table, key)) as Row;
    },

    saveRow(table, row) {
      const saved = changes.rows.get(table) ?? new Map<string, object>();
      const key = table.key.length === 0 ? String(saved.size) : keyOf(table, row);
      const previous = saved.get(key);
      const { replaces } = table;
      if (previous !== undefined && replaces !== undefined && Reflect.get(previous, replaces.column) !== replaces.value)
        return;
      changes.rows.set(table, saved.set(key, row));
    },

    outages: () => reads.outages(),

    findOrder(accounts, orderIds) {
      if (orderIds.length === 0) return null;
      const saved = orderIds.flatMap((id) => savedOrders.get(scopedKey(accounts, id)) ?? []);
      // A saved order has all ids of the orders that it replaces.
      const stored = reads
        .orders(accounts, orderIds)
        .filter(({ orderIds: [id = ''] }) => !savedOrders.has(scopedKey(accounts, id)));
      return [...new Set([...saved, ...stored])]
        .sort((a, b) => ((a.orderIds[0] ?? '') < (b.orderIds[0] ?? '') ? -1 : 1))
        .reduce<Order | null>((merged, order) => (merged === null ? order : mergeOrders(merged, order)), null);
    },

    saveOrder(order, at) {
      changes.orders.push({ order, at });
      for (const id of order.orderIds) savedOrders.set(scopedKey(order.communityId, id), order);
    },

    findCorrection: (accounts, idempotencyKey) =>
      changes.corrections.find((each) => each.communityId === accounts && each.idempotencyKey === idempotencyKey) ??
      reads.correction(accounts, idempotencyKey),

    saveCorrection: (correction) => void changes.corrections.push(correction),

    enqueue(effect) {
      assertOwnQueue(effect);
      const { plan } = effect;
      if (plan === undefined) changes.effects.push(effect);
      else tally.saveRow(plannedEffects, planRow(effect, plan));
    },
  };
  return { tally, changes };
}

function isVoteBetween(
  { listing, at, cause }: Entry,
  ofListing: string | null,
  after: number,
  before: number,
): boolean {
  return (
    (ofListing === null || listing === ofListing) &&
    at > after &&
    at < before &&
    allVoteCauses.some((voteCause) => voteCause === cause)
  );
}
