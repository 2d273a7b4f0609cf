import type { PageRequest } from '@tallyhook/platform/web/pagination';
import type { Generated, Selectable } from 'kysely';
import { type AccountId, accountIdOf, type CommunityId } from '../../core/ledger/account.ts';
import { directMessage, type MessageType, type NewEffect, ownerReport } from '../../core/outbox/effect-kind.ts';
import type { PurchaseEvent } from '../../core/outbox/handler-events.ts';
import { queueName } from '../../core/outbox/queue.ts';
import type { GrantedRole } from '../../core/rewards/reward.ts';
import { appendEntry, lockAccount, lockAccountsOf, releaseAccount } from '../../core/store/accounts.ts';
import type { MemberTable } from '../../core/store/member-data/member-table.ts';
import { enqueue } from '../../core/store/outbox/enqueue.ts';
import { literal, lock, preparedStatement, run } from '../../core/store/query-builder.ts';
import type { SettleRole, Sql, SqlClient } from '../../core/store/sql-module.ts';
import type { AccountState } from '../../core/tally/account-state.ts';
import { roleEffect } from '../../core/tally/grants.ts';
import { tellOf } from '../events/feature.ts';
import { handlerCall } from '../handlers/feature.ts';
import {
  closedReport,
  decidePurchase,
  fulfilledMessage,
  grantSource,
  leftOf,
  type PurchasedItem,
  type PurchaseOrder,
  type PurchaseRejection,
  type PurchaseState,
  purchaseEntry,
  purchaseReport,
  type ReportedPurchase,
  refundEntry,
  refundedMessage,
  refundedReport,
  type Settlement,
  type ShopContext,
  type ShopItem,
  type ShopMember,
  withoutCodes,
} from './purchase.ts';

export interface ShopTables {
  /** Purchases of the shop. What is stored of the item is what it was when it was bought. */
  purchases: {
    id: Generated<number>;
    community_id: CommunityId;
    confirmation_id: string;
    user_id: string;
    /** Who gets it: the buyer, or the member to whom it is given. */
    receiver_id: string;
    /** Empty if the community has no guild. */
    guild_id: string;
    /** Where it was, or would be, reported to the owner. */
    owner_channel_id: string | null;
    item: string;
    /** Written by the owner: escape it. */
    name: string;
    /** Credits. */
    price: number;
    state: PurchaseState;
    /** After the purchase (credits). */
    balance: number;
    role: string | null;
    until: number | null;
    /** Secret to everyone but the buyer. */
    code: string | null;
    at: number;
    /** When it was fulfilled or refunded; null before that. */
    settled_at: number | null;
  };
}

export type ShopSql = Sql<ShopTables>;

type PurchaseRow = Selectable<ShopTables['purchases']>;

/** Codes per statement: SQLite accepts 32,766 parameters. */
const codesPerQuery = 1_000;

function storedGuildId(guildId: string | null): string {
  return guildId ?? '';
}

/** A purchase as it is stored: complete without the settings, which may no longer contain the item. */
export type StoredPurchase = ReturnType<typeof toPurchase>;

export type PurchaseResult =
  /** `repeated`: the confirmation was used before, and nothing was written now. */
  | { readonly outcome: 'purchased'; readonly purchase: StoredPurchase; readonly repeated: boolean }
  /** Nothing was written. `balance` in credits. */
  | { readonly outcome: 'rejected'; readonly rejection: PurchaseRejection; readonly balance: number }
  /** The confirmation was used by another member. */
  | { readonly outcome: 'foreign' };

function toPurchase({ user_id: userId, receiver_id, item, name, price, ...row }: PurchaseRow) {
  const receiverId = receiver_id === userId ? null : receiver_id;
  const { id, state, balance, role, until, code, at } = row;
  return { id, userId, receiverId, item, name, price, state, balance, role, until, code, at };
}

/** A purchase as the team of its community sees it. */
export interface CommunityPurchase extends Omit<StoredPurchase, 'code' | 'balance'> {
  /** True if the team fulfils it. */
  readonly manual: boolean;
  /** Where it was reported; null if it was not. */
  readonly ownerChannelId: string | null;
  /** When it was fulfilled or refunded (ms since the epoch); null before that. */
  readonly settledAt: number | null;
}

function toCommunityPurchase(row: PurchaseRow): CommunityPurchase {
  const { code, balance: _balance, ...purchase } = toPurchase(row);
  const { owner_channel_id: ownerChannelId, settled_at: settledAt } = row;
  return { ...purchase, manual: row.role === null && code === null, ownerChannelId, settledAt };
}

/** How often each item of a shop was sold, without refunds. Items that were not sold are left out. */
async function countSold(
  sql: ShopSql,
  communityId: CommunityId,
  items: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (items.length === 0) return new Map();
  const rows = await countPurchases(sql, { communityId, items });
  return new Map(rows.map(({ item, count }) => [item, Number(count)]));
}

const countPurchases = preparedStatement<{ communityId: CommunityId; items: readonly string[] }, ShopTables>()(
  (db, placeholder) =>
    db
      .selectFrom('purchases')
      .select((eb) => ['item', eb.fn.countAll<number>().as('count')])
      .where('community_id', '=', placeholder('communityId'))
      .where('item', 'in', placeholder('items'))
      .where('state', '<>', literal('refunded'))
      .groupBy('item'),
);

/** How often a member has bought each item, without refunds. Items that were not bought are left out. */
async function countBought(
  { db, connection }: ShopSql,
  communityId: CommunityId,
  userId: string,
): Promise<ReadonlyMap<string, number>> {
  const own = db.selectFrom('purchases').where('user_id', '=', userId).where('community_id', '=', communityId);
  const counted = own.select((eb) => ['item', eb.fn.countAll<number>().as('count')]);
  const rows = await run(connection, counted.where('state', '<>', literal('refunded')).groupBy('item'));
  return new Map(rows.map(({ item, count }) => [item, Number(count)]));
}

/**
 * The codes that the shop of a community has not issued yet, in their order. Codes are compared with those of all its
 * purchases: an item may have another id now, and a code is issued once. What other communities have
 * issued is not looked at, so that one neither uses up the codes of another nor learns of them.
 * @param limit how many to find at least, if there are as many
 */
async function unissuedCodes(
  { db, connection }: ShopSql,
  communityId: CommunityId,
  { codes }: Pick<ShopItem, 'codes'>,
  limit: number,
): Promise<readonly string[]> {
  const unissued: string[] = [];
  const purchases = db.selectFrom('purchases').where('community_id', '=', communityId);
  for (let start = 0; start < (codes?.length ?? 0) && unissued.length < limit; start += codesPerQuery) {
    const some = codes?.slice(start, start + codesPerQuery) ?? [];
    const rows = await run(connection, purchases.select('code').where('code', 'in', some));
    const issued = new Set(rows.map(({ code }) => code));
    unissued.push(...some.filter((code) => !issued.has(code)));
  }
  return unissued;
}

/** Locks all purchases until the end of the transaction: the stock, the codes and each purchase's state. */
function lockShop({ db, connection }: ShopSql): Promise<void> {
  return lock(connection, db, 'shop');
}

/** Stores that confirmed purchases are settled. The shop is locked. `now` in ms since the epoch. */
async function settlePurchases(
  { db, connection }: ShopSql,
  purchases: readonly PurchaseRow[],
  state: 'fulfilled' | 'refunded',
  now: number,
): Promise<void> {
  for (const { id } of purchases) {
    await run(connection, db.updateTable('purchases').set({ state, settled_at: now }).where('id', '=', id));
  }
}

/**
 * Returns the price of a confirmed purchase, removes its grant, and tells the buyer. The shop is locked. `now` in ms
 * since the epoch.
 */
async function refundPurchase(sql: ShopSql, purchase: PurchaseRow, now: number): Promise<void> {
  const { db, connection } = sql;
  const { id, receiver_id: userId, guild_id: guildId, role } = purchase;
  await refund(sql, purchase, now);
  if (role !== null) {
    const grant = db.deleteFrom('grants').where('user_id', '=', userId).where('role', '=', role);
    await run(connection, grant.where('source', '=', grantSource(id)).where('guild_id', '=', guildId));
  }
  await enqueue(sql, [messageToBuyer(purchase, refundedMessage, now)]);
}

async function refund(sql: ShopSql, purchase: PurchaseRow, now: number): Promise<void> {
  const { db, connection } = sql;
  await settlePurchases(sql, [purchase], 'refunded', now);
  const accountId = accountIdOf(purchase.community_id, purchase.user_id);
  const account = await lockAccount(connection, db, accountId);
  const { credits: balance } = await appendEntry(connection, db, account, refundEntry(accountId, purchase, now));
  const event = { type: 'purchase.refunded', data: eventData(purchase, balance, now) } as const;
  await tellOf(sql, purchase.community_id, event, now);
}

/** The data of an event about a purchase, without the code, which is the buyer's. */
function eventData(row: PurchaseRow, balance: number, at: number) {
  const { id, userId, receiverId: recipientId, item, name, price, role } = toPurchase(row);
  const purchase = { userId, recipientId, purchaseId: String(id), item, name, price, role };
  return { ...purchase, balance, at: new Date(at).toISOString() };
}

function messageToBuyer(
  { user_id: userId, community_id: communityId, name: item, price }: PurchaseRow,
  type: MessageType<string, PurchasedItem>,
  createdAt: number,
): NewEffect {
  return directMessage(communityId, userId, type, { item, price }, createdAt);
}

/**
 * Finds the purchases that wait for a role, which are fulfilled by it, or refunded and reported to the owner if Discord
 * did not give it. Purchases lock the shop and the account before they insert grants.
 */
export async function awaitRole(sql: ShopSql, role: GrantedRole): Promise<SettleRole | null> {
  const { db, connection } = sql;
  if ((await findOpenPurchases(sql, role)).length === 0) return null;
  await lockShop(sql);
  await lockAccountsOf(connection, db, role.userId);
  const purchases = await findOpenPurchases(sql, role);
  return async (isGiven, now) => {
    if (isGiven) return settlePurchases(sql, purchases, 'fulfilled', now);
    for (const purchase of purchases) {
      await refundPurchase(sql, purchase, now);
      await enqueue(sql, reportOfRefund(purchase, now));
    }
  };
}

function findOpenPurchases(
  { db, connection }: ShopSql,
  { userId, role, guildId }: GrantedRole,
): Promise<readonly PurchaseRow[]> {
  const ofRole = db.selectFrom('purchases').selectAll().where('receiver_id', '=', userId).where('role', '=', role);
  const open = ofRole.where('guild_id', '=', guildId).where('state', '=', literal('confirmed'));
  return run(connection, open.orderBy('id'));
}

/**
 * Refunds the purchases of a member that the owner has not fulfilled yet, without a message to the buyer, and what others
 * have bought for the member and was not delivered yet.
 * @returns the reports to the owner, which do not name the buyer
 */
export async function closePurchases(sql: ShopSql, userId: string, now: number): Promise<readonly NewEffect[]> {
  const { db, connection } = sql;
  // A purchase that is settled meanwhile has read its buyer.
  await lockShop(sql);
  const ofMember = db.selectFrom('purchases').selectAll().where('user_id', '=', userId);
  const open = ofMember.where('state', '=', literal('confirmed')).where('role', 'is', null).where('code', 'is', null);
  const purchases = await run(connection, open.orderBy('id'));
  for (const purchase of purchases) await refund(sql, purchase, now);
  const toMember = db
    .selectFrom('purchases')
    .selectAll()
    .where('receiver_id', '=', userId)
    .where('user_id', '<>', userId);
  const given = await run(connection, toMember.where('state', '=', literal('confirmed')).orderBy('id'));
  for (const purchase of given) await refundPurchase(sql, purchase, now);
  return purchases.flatMap(({ id: purchaseId, community_id: communityId, owner_channel_id: channelId, ...row }) => {
    const { name: item, price } = row;
    if (channelId === null) return [];
    return [ownerReport(communityId, channelId, closedReport, { purchaseId, item, price }, now)];
  });
}

function reportOfRefund(purchase: PurchaseRow, createdAt: number): readonly NewEffect[] {
  const { community_id: communityId, owner_channel_id: channelId } = purchase;
  if (channelId === null) return [];
  return [ownerReport(communityId, channelId, refundedReport, reportOf(purchase), createdAt)];
}

function reportOf(row: PurchaseRow): ReportedPurchase {
  const { id: purchaseId, userId, receiverId, name: item, price } = toPurchase(row);
  return { purchaseId, userId, receiverId, item, price };
}

const maxNewest = 10;
/**
 * Purchases with the highest ids, in which the newest are searched. Ids need not grow with time: on some databases,
 * each connection has a range of its own, of 100 ids for example.
 */
const recentPurchases = 1_000;

const findCredits = preparedStatement<{ accountId: AccountId }>()((db, placeholder) =>
  db.selectFrom('balances').select('credits').where('account_id', '=', placeholder('accountId')),
);
const findGrants = preparedStatement<{ userId: string }>()((db, placeholder) =>
  db.selectFrom('grants').selectAll().where('user_id', '=', placeholder('userId')),
);
const findOpenPurchase = preparedStatement<GrantedRole, ShopTables>()((db, placeholder) =>
  db
    .selectFrom('purchases')
    .select('id')
    .where('receiver_id', '=', placeholder('userId'))
    .where('role', '=', placeholder('role'))
    .where('guild_id', '=', placeholder('guildId'))
    .where('state', '=', literal('confirmed'))
    .limit(1),
);

/* Times are ms since the epoch. */

export const reads = {
  /** @param receiver to whom the items would be given; null for the member */
  async offers(
    sql: ShopSql,
    shop: ShopContext,
    { userId, roles }: ShopMember,
    now: number,
    receiver: ShopMember | null = null,
  ) {
    const holder = receiver ?? { userId, roles };
    const accountId = accountIdOf(shop.communityId, userId);
    const balance = (await findCredits(sql, { accountId }))[0]?.credits ?? 0;
    const grants = await findGrants(sql, { userId: holder.userId });
    const stock = await stockOf(sql, shop);
    const boughtBefore = await countBought(sql, shop.communityId, userId);
    const offer = (shopItem: ShopItem) => {
      const item = withoutCodes(shopItem);
      const { left = null, unissued = null } = stock.get(item.id) ?? {};
      const isReady = !shop.unready?.has(item.id);
      const bought = boughtBefore.get(item.id) ?? 0;
      const common = { confirmedPrice: item.price, balance, left, bought, isReady, now };
      const context = { ...common, roles, holderRoles: holder.roles, grants };
      const decision = decidePurchase(item, context);
      const until = decision.rejection === null ? decision.until : null;
      return {
        item,
        left,
        /** True if all its codes are issued. */
        isUsedUp: unissued === 0,
        /** Why the member cannot buy it now; null if it is sold. */
        rejection: decision.rejection,
        /** When the role would end if it was bought now (ms since the epoch); null if it would not. */
        until,
      };
    };
    return { balance, offers: shop.items.map(offer) };
  },

  async purchasesOf(
    { db, connection }: ShopSql,
    userId: string,
    communityId: CommunityId,
    limit: number,
  ): Promise<readonly StoredPurchase[]> {
    const ofUser = db.selectFrom('purchases').selectAll().where('user_id', '=', userId);
    const newest = ofUser
      .where('community_id', '=', communityId)
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit);
    return (await run(connection, newest)).map(toPurchase);
  },

  /** A page of the purchases in a community, newest first. */
  async purchasesIn(
    { db, connection }: ShopSql,
    communityId: CommunityId,
    { state, limit, before }: PageRequest & { readonly state: PurchaseState | null },
  ): Promise<readonly CommunityPurchase[]> {
    let page = db.selectFrom('purchases').selectAll().where('community_id', '=', communityId);
    if (state !== null) page = page.where('state', '=', state);
    if (before !== null) page = page.where('id', '<', before);
    return (await run(connection, page.orderBy('id', 'desc').limit(limit))).map(toCommunityPurchase);
  },

  /** Null if the community has no such purchase. */
  async purchaseIn(
    { db, connection }: ShopSql,
    communityId: CommunityId,
    id: number,
  ): Promise<CommunityPurchase | null> {
    const purchase = db.selectFrom('purchases').selectAll().where('id', '=', id);
    const [row] = await run(connection, purchase.where('community_id', '=', communityId));
    return row === undefined ? null : toCommunityPurchase(row);
  },

  /** Checks whether the role was bought and the purchase is not settled yet. */
  async isPaidFor(sql: ShopSql, { userId, role, guildId }: GrantedRole): Promise<boolean> {
    return (await findOpenPurchase(sql, { userId, role, guildId })).length > 0;
  },

  /**
   * The newest purchases, without codes, and how many wait for the owner. Scans the purchases, which are rare.
   * @param guildId of one guild; null for all
   */
  async summary({ db, connection }: ShopSql, guildId: string | null = null) {
    const all = db.selectFrom('purchases');
    const shown = guildId === null ? all : all.where('guild_id', '=', guildId);
    const recent = shown
      .select(['id', 'user_id', 'name', 'price', 'state', 'role', 'at'])
      .orderBy('id', 'desc')
      .limit(recentPurchases);
    const newest = db
      .selectFrom(recent.as('recent'))
      .select(['id', 'user_id as userId', 'name', 'price', 'state', 'role', 'at'])
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .limit(maxNewest);
    // Neither a role nor a code: the owner fulfils it.
    const waiting = shown
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('state', '=', literal('confirmed'))
      .where('role', 'is', null)
      .where('code', 'is', null);
    const [counted] = await run(connection, waiting);
    return { newest: await run(connection, newest), waiting: counted?.count ?? 0 };
  },
};

export const writes = {
  /**
   * Sells an item once per confirmation: pays, takes it out of stock, issues the code, grants the role and enqueues
   * effects, or none of it.
   */
  async purchase(sql: ShopSql, order: PurchaseOrder, now: number): Promise<PurchaseResult> {
    const { db, connection } = sql;
    const { confirmationId, item, communityId, guildId, isReady, confirmedPrice } = order;
    const { userId, roles } = order.member;
    await lockShop(sql);
    const confirmed = db.selectFrom('purchases').selectAll().where('confirmation_id', '=', confirmationId);
    const [earlier] = await run(connection, confirmed);
    if (earlier !== undefined) {
      const isSame = earlier.user_id === userId && earlier.community_id === communityId;
      if (!isSame) return { outcome: 'foreign' };
      return { outcome: 'purchased', purchase: toPurchase(earlier), repeated: true };
    }
    // A code is the buyer's, who can pass it on.
    const receiver = item?.codes === null ? (order.receiver ?? null) : null;
    const holder = receiver ?? order.member;
    // The grants of a member have the lock of the account. In the order of the ids, as everywhere.
    const ids = [...new Set([userId, holder.userId])].map((each) => accountIdOf(communityId, each));
    const accounts = new Map<AccountId, AccountState>();
    for (const id of ids.sort()) accounts.set(id, await lockAccount(connection, db, id));
    const account = accounts.get(accountIdOf(communityId, userId));
    if (account === undefined) throw new Error('The account of the buyer was not locked.');
    const release = async () => {
      for (const each of accounts.values()) await releaseAccount(connection, db, each);
    };
    const reject = async (rejection: PurchaseRejection): Promise<PurchaseResult> => {
      await release();
      return { outcome: 'rejected', rejection, balance: account.credits };
    };
    if (item === null) return reject('unknown_item');
    const grants = await findGrants(sql, { userId: holder.userId });
    const bought = item.limit === null ? 0 : ((await countBought(sql, communityId, userId)).get(item.id) ?? 0);
    const sold = item.stock === null ? 0 : ((await countSold(sql, communityId, [item.id])).get(item.id) ?? 0);
    const unissued = await unissuedCodes(sql, communityId, item, 1);
    const decision = decidePurchase(withoutCodes(item), {
      confirmedPrice,
      balance: account.credits,
      left: leftOf(item, sold, unissued.length),
      bought,
      roles,
      holderRoles: holder.roles,
      grants,
      isReady,
      now,
    });
    if (decision.rejection !== null) return reject(decision.rejection);
    const entry = purchaseEntry(account.id, item, now);
    const paid = await appendEntry(connection, db, account, entry);
    accounts.set(account.id, paid);
    await release();
    const { credits: balance } = paid;
    const { state, until } = decision;
    const code = unissued[0] ?? null;
    const result = { receiver_id: holder.userId, state, until, balance, code, at: now };
    const purchase = await insertPurchase(sql, order, item, result);
    const effects = await deliver(sql, purchase);
    const calls = order.isHandled ? [handlerCallOf(purchase, guildId)] : [];
    await enqueue(sql, [...effects, ...calls]);
    await tellOf(sql, communityId, { type: 'purchase.made', data: eventData(purchase, balance, now) }, now);
    return { outcome: 'purchased', purchase: toPurchase(purchase), repeated: false };
  },

  /**
   * Fulfils or refunds a purchase that the owner fulfils, once. Null if it is not such a purchase of the channel.
   * `settled` is false if it was settled before; then nothing was written.
   */
  async settle(sql: ShopSql, { purchaseId, state, channelId }: Settlement, now: number) {
    const { db, connection } = sql;
    await lockShop(sql);
    const [stored] = await run(connection, db.selectFrom('purchases').selectAll().where('id', '=', purchaseId));
    const isManual = stored?.role === null && stored.code === null;
    if (stored === undefined || !isManual || stored.owner_channel_id !== channelId) return null;
    if (stored.state !== 'confirmed') return { purchase: toPurchase(stored), settled: false, queues: [] };
    if (state === 'refunded') {
      await refundPurchase(sql, stored, now);
    } else {
      await settlePurchases(sql, [stored], 'fulfilled', now);
      await enqueue(sql, [messageToBuyer(stored, fulfilledMessage, now)]);
    }
    const queues = [queueName('dm', stored.community_id, stored.user_id)];
    return { purchase: toPurchase({ ...stored, state }), settled: true, queues };
  },
};

export type Offer = Awaited<ReturnType<(typeof reads)['offers']>>['offers'][number];

export type PurchaseStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;

/** How often each item can still be bought, and how many of its codes are not issued (null without codes), by its id. */
async function stockOf(
  sql: ShopSql,
  { communityId, items }: ShopContext,
): Promise<ReadonlyMap<string, { readonly left: number | null; readonly unissued: number | null }>> {
  const limited = items.filter(({ stock }) => stock !== null).map(({ id }) => id);
  const sold = await countSold(sql, communityId, limited);
  const left = new Map<string, { readonly left: number | null; readonly unissued: number | null }>();
  for (const item of items) {
    const unissued = await unissuedCodes(sql, communityId, item, Number.POSITIVE_INFINITY);
    const ofItem = leftOf(item, sold.get(item.id) ?? 0, unissued.length);
    left.set(item.id, { left: ofItem, unissued: item.codes === null ? null : unissued.length });
  }
  return left;
}

async function insertPurchase(
  { db, connection }: ShopSql,
  { confirmationId, member, communityId, guildId, ownerChannelId }: PurchaseOrder,
  { id, name, price, role }: ShopItem,
  result: Pick<PurchaseRow, 'receiver_id' | 'state' | 'until' | 'balance' | 'code' | 'at'>,
): Promise<PurchaseRow> {
  const insert = db.insertInto('purchases').values({
    confirmation_id: confirmationId,
    user_id: member.userId,
    community_id: communityId,
    guild_id: storedGuildId(guildId),
    owner_channel_id: ownerChannelId,
    item: id,
    name,
    price,
    role,
    ...result,
    settled_at: result.state === 'fulfilled' ? result.at : null,
  });
  // A driver's error about a conflict would contain the code.
  const [inserted] = await run(connection, insert.onConflict((conflict) => conflict.doNothing()).returningAll());
  if (inserted === undefined) throw new Error('The purchase could not be inserted.');
  return inserted;
}

/** Inserts the grant of a role. Returns what the purchase needs outside of the database. */
async function deliver({ db, connection }: ShopSql, purchase: PurchaseRow): Promise<readonly NewEffect[]> {
  const { id, receiver_id: userId, guild_id: guildId, role, until, at, owner_channel_id: channelId } = purchase;
  if (role !== null) {
    const grant = {
      user_id: userId,
      role,
      source: grantSource(id),
      guild_id: guildId,
      until,
      state: 'pending',
    } as const;
    await run(connection, db.insertInto('grants').values(grant));
    return [roleEffect(purchase.community_id, { guildId, userId, role }, null, at)];
  }
  if (purchase.code !== null || channelId === null) return [];
  return [ownerReport(purchase.community_id, channelId, purchaseReport, reportOf(purchase), at)];
}

const ofReceiver = ['id', 'item', 'name', 'role', 'until', 'state', 'at', 'settled_at'] as const;

/** Purchases by a member, and those for the member. An issued code stays, so that it is not issued again. */
export const memberPurchases: MemberTable<ShopTables> = {
  select: (db, { userId }) => [
    db.selectFrom('purchases').selectAll().where('user_id', '=', userId),
    db.selectFrom('purchases').select(ofReceiver).where('receiver_id', '=', userId).where('user_id', '<>', userId),
  ],
  forget: (db, { userId }, pseudonym) =>
    (['user_id', 'receiver_id'] as const).map((column) =>
      db
        .updateTable('purchases')
        .set({ [column]: pseudonym })
        .where(column, '=', userId),
    ),
};

function handlerCallOf(purchase: PurchaseRow, guildId: string | null): NewEffect {
  const {
    id: purchaseId,
    userId,
    receiverId: recipientId,
    item,
    name,
    price,
    balance,
    role,
    at,
  } = toPurchase(purchase);
  const event: PurchaseEvent = {
    type: 'purchase',
    listing: null,
    guildId,
    deliveryId: null,
    at,
    purchaseId,
    userId,
    recipientId,
    item,
    name,
    price,
    role,
    credits: 0 - price,
    balance,
  };
  const content = { id: `purchase-${purchaseId}-${at.toString(36)}`, event };
  return handlerCall(purchase.community_id, content, null, at);
}
