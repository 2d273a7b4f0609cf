import { boundQuery } from '@tallyhook/platform/database/prepared-query';
import type { Compilable, ExpressionBuilder, Kysely, Selectable } from 'kysely';
import { refusalReasons } from '../../../webhook/rejections.ts';
import { accountIdOf, type CommunityId, partsOf } from '../../ledger/account.ts';
import { allVoteCauses } from '../../ledger/entry.ts';
import type { Outage } from '../../rewards/calendar.ts';
import type { StoredGrant } from '../../rewards/reward.ts';
import type { LatestTimes, Order, OrderTimes } from '../../tally/order.ts';
import type { DeliveryRow, PastVote, StoredCorrection } from '../../tally/tally.ts';
import { linkedEntries } from '../account-columns.ts';
import { literal } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import { hotTable } from './hot-table.ts';

/* The statements of rare decisions, for both databases. Ordinary votes have statements of their own in each dialect. */

/** A row of the delivery log with its id: a new one, or the new content of a quarantined one. */
export interface DeliveryChange extends DeliveryRow {
  readonly id: number;
}

export const grants = hotTable<Tables>()({
  name: 'grants',
  key: ['user_id', 'role', 'source', 'guild_id'],
  columns: { user_id: 'text', role: 'text', source: 'text', guild_id: 'text', until: 'bigint', state: 'text' },
});

export const plannedEffects = hotTable<Tables>()({
  name: 'planned_effects',
  key: ['key'],
  columns: {
    ...{ key: 'text', user_id: 'text', delivery_id: 'bigint', kind: 'text', queue: 'text', content: 'text' },
    ...{ due_at: 'bigint', planned_at: 'bigint' },
  },
});

export function toGrant(row: Selectable<Tables['grants']>): StoredGrant {
  const { user_id: userId, role, source, guild_id: guildId, until, state } = row;
  return { userId, role, source, guildId, until, state };
}

interface VotesBetween {
  /** The newest entry of the account; null for none. */
  readonly newest: number | null;
  /** Null for any. */
  readonly listing: string | null;
  /** Ms since the epoch, both exclusive. */
  readonly after: number;
  readonly before: number;
}

/** Binds the statement that reads the votes of an account between two times. */
export function selectVotesBetween(db: Kysely<Tables>) {
  return boundQuery<VotesBetween>()((placeholder) =>
    linkedEntries(db, placeholder('newest'))
      .selectFrom('linked')
      .select(['listing', 'credits', 'at', 'cause', 'reason', 'untimed', 'delivery_id as deliveryId'])
      .where('at', '>', placeholder('after'))
      .where('at', '<', placeholder('before'))
      .where('cause', 'in', allVoteCauses.map(literal))
      .where((where) => where('listing', '=', where.fn.coalesce(where.val(placeholder('listing')), 'listing'))),
  );
}

export function toPastVote(row: Omit<PastVote, 'untimed'> & { readonly untimed: number }): PastVote {
  const { listing, credits, at, cause, reason, deliveryId } = row;
  return { listing, credits, at, cause, reason, deliveryId, untimed: row.untimed !== 0 };
}

/** The orders of a community with any of these ids, by ascending primary key. */
export function selectOrders(db: Kysely<Tables>, communityId: CommunityId, orderIds: readonly string[]) {
  const ids = db.selectFrom('order_names').select('order_id').where('community_id', '=', communityId);
  const named = ids.where('name', 'in', orderIds);
  return db
    .selectFrom('orders')
    .selectAll()
    .where('community_id', '=', communityId)
    .where('id', 'in', named)
    .orderBy('id');
}

/** All names of the orders of a community with any of these ids. */
export function selectOrderNames(db: Kysely<Tables>, communityId: CommunityId, orderIds: readonly string[]) {
  const ids = db.selectFrom('order_names').select('order_id').where('community_id', '=', communityId);
  const named = ids.where('name', 'in', orderIds);
  return db
    .selectFrom('order_names')
    .selectAll()
    .where('community_id', '=', communityId)
    .where('order_id', 'in', named);
}

export function toOrder(row: Selectable<Tables['orders']>, names: readonly Selectable<Tables['order_names']>[]): Order {
  const { community_id: communityId, id, listing, user_id: userId, tier, state, period_end: periodEnd } = row;
  const times = parseOrderTimes(row.times);
  const others = names.filter(({ name, order_id }) => order_id === id && name !== id).map(({ name }) => name);
  return { communityId, orderIds: [id, ...others], listing, userId, tier, state, periodEnd, times };
}

/** Stores the order under its first id and replaces the orders stored under its other ids. */
export function saveOrder(db: Kysely<Tables>, order: Order, at: number): Compilable<unknown>[] {
  const {
    communityId: community_id,
    orderIds,
    listing,
    userId: user_id,
    tier,
    state,
    periodEnd: period_end,
    times,
  } = order;
  const [id] = orderIds;
  if (id === undefined) return [];
  const row = { listing, user_id, tier, state, period_end, times: serializeOrderTimes(times), updated_at: at };
  const names = orderIds.map((name) => ({ community_id, name, order_id: id }));
  return [
    db
      .insertInto('orders')
      .values({ community_id, id, ...row })
      .onConflict((conflict) => conflict.columns(['community_id', 'id']).doUpdateSet(row)),
    db
      .insertInto('order_names')
      .values(names)
      .onConflict((conflict) => conflict.columns(['community_id', 'name']).doUpdateSet({ order_id: id })),
    db.deleteFrom('orders').where('community_id', '=', community_id).where('id', 'in', orderIds).where('id', '<>', id),
  ];
}

/** The ids of those deliveries that are still quarantined or refused. */
export function selectReplayable(db: Kysely<Tables>, deliveryIds: readonly number[]) {
  const isRefused = ({ eb }: ExpressionBuilder<Tables, 'deliveries'>) =>
    eb.and([eb('outcome', '=', 'ignored'), eb('reason', 'in', refusalReasons)]);
  return db
    .selectFrom('deliveries')
    .select('id')
    .where('id', 'in', deliveryIds)
    .where((where) => where.or([where('outcome', '=', 'quarantined'), isRefused(where)]));
}

/** The new content of a delivery that has left the quarantine. */
export function updateReplayedDelivery(db: Kysely<Tables>, delivery: DeliveryChange) {
  const { id, listing, kind, outcome, reason, userId: user_id, credits, originalId: original_id = null } = delivery;
  const changes = { listing, kind, outcome, reason, user_id, credits, original_id };
  return db.updateTable('deliveries').set(changes).where('id', '=', id);
}

/** The corrections of a community with these keys. */
export function selectCorrections(db: Kysely<Tables>, communityId: CommunityId, idempotencyKeys: readonly string[]) {
  const ofCommunity = db.selectFrom('corrections').selectAll().where('community_id', '=', communityId);
  return ofCommunity.where('idempotency_key', 'in', idempotencyKeys);
}

export function toCorrection(
  row: Omit<Selectable<Tables['corrections']>, 'author' | 'community_id'>,
): StoredCorrection {
  const { idempotency_key: idempotencyKey, credits, reason, balance, at } = row;
  return { idempotencyKey, ...partsOf(row.account_id), credits, reason, balance, at };
}

export function insertCorrection(db: Kysely<Tables>, correction: StoredCorrection) {
  const { idempotencyKey: idempotency_key, userId, communityId, credits, reason, balance, at, author } = correction;
  const account_id = accountIdOf(communityId, userId);
  const row = { community_id: communityId, idempotency_key, account_id, credits, reason, balance, at };
  return db.insertInto('corrections').values(author === undefined ? row : { ...row, author });
}

export function toOutage({ from_at, until_at }: Tables['outages']): Outage {
  return { from: from_at, until: until_at };
}

/* `orders.times`: a JSON array without names, [paid, expired], each [at, periodEnd, receivedAt] or 0. */

type StoredTimes = readonly [at: number | null, periodEnd: number | null, receivedAt: number] | 0;

export function serializeOrderTimes({ paid, expired }: OrderTimes): string {
  return JSON.stringify([toStored(paid), toStored(expired)]);
}

function toStored(times: LatestTimes | null): StoredTimes {
  return times === null ? 0 : [times.at, times.periodEnd, times.receivedAt];
}

/** Throws an Error if it is not what {@link serializeOrderTimes} returns. */
export function parseOrderTimes(text: string): OrderTimes {
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value) || value.length !== 2 || !value.every(isStoredTimes)) {
    throw new Error('orders.times are not the times of an order.');
  }
  const [paid = 0, expired = 0] = value;
  return { paid: fromStored(paid), expired: fromStored(expired) };
}

function isStoredTimes(value: unknown): value is StoredTimes {
  if (value === 0) return true;
  if (!Array.isArray(value) || value.length !== 3) return false;
  const [at, periodEnd, receivedAt] = value as readonly unknown[];
  return [at, periodEnd].every((time) => time === null || typeof time === 'number') && typeof receivedAt === 'number';
}

function fromStored(stored: StoredTimes): LatestTimes | null {
  if (stored === 0) return null;
  const [at, periodEnd, receivedAt] = stored;
  return { at, periodEnd, receivedAt };
}
