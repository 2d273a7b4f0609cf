import { sql as kyselySql } from 'kysely';
import type { AccountId, CommunityId } from '../ledger/account.ts';
import { isCountedVote } from '../ledger/entry.ts';
import type { PlanKey } from '../outbox/effect-kind.ts';
import { parseQueue } from '../outbox/queue.ts';
import { linkPath } from '../settings/stored-settings.ts';
import { accountsIn, linkedEntries } from './account-columns.ts';
import { readCommunities } from './communities.ts';
import { type Counters, countAgainFromNewest, writes as counters, readCounters, uncountWaiting } from './counters.ts';
import { withdraw } from './outbox/enqueue.ts';
import { literal, lock, run } from './query-builder.ts';
import { type EndedGuild, rowsPerWrite, type Sql, type SqlClient, type SqlHooks } from './sql-module.ts';
import { noDelivery, type Tables } from './tables.ts';

/** Rows that one query scans: a few ms, in which SQLite blocks this thread. */
const scanSize = 5_000;
/** Entries that one transaction deletes: a few ms. */
const entriesAtOnce = 200;
/** The body of a delivery of a community whose data was deleted. */
const deletedBody = '{"deleted":true}';
/** Contents that no version can read, so that the effect is not carried out. */
const deletedContent = '{}';

/** Rows of a community, by their keys; few enough for one statement each. */
export interface GuildRows {
  readonly deliveries: readonly number[];
  readonly effects: readonly number[];
  /** The orders of the community. */
  readonly orders: readonly string[];
  /** Listings without any other rows: their counted votes. */
  readonly listings: readonly string[];
}

/** The ids of matching rows of a slice, and the last id of the slice; null after the last slice. */
export interface ScannedRows {
  readonly ids: readonly number[];
  readonly lastId: number | null;
}

/** Rows of a community, at most as many as one transaction changes. */
export const reads = {
  /**
   * Null if the guild has no community of its own: listings of the operator without a guild belong to none that ends.
   */
  async ended(sql: Sql, guildId: string): Promise<CommunityId | null> {
    const community = (await readCommunities(sql)).find((each) => each.guildId === guildId);
    return community === undefined || community.isDefault ? null : community.id;
  },

  /** The names of the guild's listings that were linked in Discord; listings of the operator are not its own. */
  async listings({ db, connection }: Sql, guildId: string): Promise<readonly string[]> {
    const changed = db.selectFrom('changed_settings').select('listing').where('guild_id', '=', guildId);
    const values = db.selectFrom('setting_values').select('listing').where('guild_id', '=', guildId);
    const isLink = literal(linkPath);
    const rows = await run(connection, changed.where('path', '=', isLink).union(values.where('path', '=', isLink)));
    return rows.map(({ listing }) => listing);
  },

  async firstAccount({ db, connection }: Sql, communityId: CommunityId): Promise<AccountId | null> {
    const accounts = accountsIn(db.selectFrom('balances').select('account_id'), communityId);
    const [first]: readonly { readonly account_id: AccountId }[] = await run(connection, accounts.limit(literal(1)));
    return first?.account_id ?? null;
  },

  async orders({ db, connection }: Sql, communityId: CommunityId): Promise<readonly string[]> {
    const orders = db.selectFrom('orders').select('id').where('community_id', '=', communityId);
    return (await run(connection, orders.limit(literal(rowsPerWrite)))).map(({ id }) => id);
  },

  /** The deliveries of the listings that are not emptied yet, in a slice after an id. */
  async deliveriesAfter({ db, connection }: Sql, after: number, listings: readonly string[]): Promise<ScannedRows> {
    const deliveries = db.selectFrom('deliveries').select(['id', 'listing', 'body']).where('id', '>', after);
    const rows = await run(connection, deliveries.orderBy('id').limit(literal(scanSize)));
    return toScanned(
      rows,
      ({ listing, body }) => listing !== null && listings.includes(listing) && body !== deletedBody,
    );
  },

  /** Effects without a delivery, in a slice after an id. */
  async effectsAfter({ db, connection }: Sql, after: number, guild: EndedGuild): Promise<ScannedRows> {
    const effects = db.selectFrom('effects').select(['id', 'queue', 'content']).where('delivery_id', '=', noDelivery);
    const rows = await run(connection, effects.where('id', '>', after).orderBy('id').limit(literal(scanSize)));
    return toScanned(rows, (effect) => concerns(effect, guild));
  },
};

export const writes = {
  /**
   * Deletes the newest entries of an account, with what their deliveries contain, and the account after its last entry.
   * In between, the account is consistent.
   */
  async deleteAccountEntries(sql: Sql, account_id: AccountId): Promise<void> {
    const { db, connection } = sql;
    const touch = db.updateTable('balances').set({ account_id }).where('account_id', '=', account_id);
    const [account] = await run(connection, touch.returning(['last_entry', 'entries']));
    if (account === undefined) return;
    // Entries before accounts, as everywhere: counting waits for nobody.
    await lock(connection, db, 'counters');
    const linked = linkedEntries(db, account.last_entry).selectFrom('linked').selectAll();
    const entries = withWholeDeliveries(await run(connection, linked.limit(literal(entriesAtOnce))));
    const rows = entries.map(({ id, credits, cause, previous }) => {
      return { id, credits, votes: isCountedVote(cause) ? 1 : 0, members: previous === null ? 1 : 0 };
    });
    if (rows.length > 0) {
      const ids = rows.map(({ id }) => id);
      await run(connection, db.deleteFrom('entries').where('id', 'in', ids));
      await uncount(sql, rows);
      const deliveries = entries.flatMap(({ delivery_id: id }) => id ?? []);
      if (deliveries.length > 0) await emptyDeliveries(sql, deliveries);
    }
    const previous = entries.at(-1)?.previous ?? null;
    if (previous === null) {
      await run(connection, db.deleteFrom('corrections').where('account_id', '=', account_id));
      const items = db.deleteFrom('imported_items').where('import_id', 'in', db.selectFrom('imports').select('id'));
      await run(connection, items.where('account_id', '=', account_id));
      await run(connection, db.deleteFrom('balances').where('account_id', '=', account_id));
      return;
    }
    const sumOf = (name: 'credits' | 'votes') => rows.reduce((total, row) => total + row[name], 0);
    const rest = db.updateTable('balances').set((eb) => ({
      last_entry: previous,
      history: null,
      last_votes: '{}',
      credits: eb('credits', '-', sumOf('credits')),
      votes: eb('votes', '-', sumOf('votes')),
      entries: eb('entries', '-', rows.length),
    }));
    await run(connection, rest.where('account_id', '=', account_id));
  },

  /**
   * Deletes some rows of the feature at this position. Returns where to continue: there, or at the next one; null after
   * the last.
   */
  async deleteOfFeature(sql: Sql, guild: EndedGuild, position: number): Promise<number | null> {
    const feature = sql.hooks[position];
    if (feature === undefined) return null;
    const hasMore = (await feature.deleteOfGuild?.(sql, guild)) ?? false;
    return hasMore ? position : position + 1;
  },

  /** Withdraws some planned effects of the community. Returns whether there may be more. */
  async deletePlanned(sql: Sql, communityId: CommunityId): Promise<boolean> {
    const ofCommunity = sql.db.selectFrom('planned_effects').select('key').where('key', '>', `${communityId} `);
    const rows = await run(sql.connection, ofCommunity.where('key', '<', `${communityId}!`).limit(rowsPerWrite));
    await withdraw(
      sql,
      rows.map(({ key }) => key as PlanKey),
    );
    return rows.length === rowsPerWrite;
  },

  async deleteRows(sql: Sql, communityId: CommunityId, rows: GuildRows): Promise<void> {
    const { db, connection } = sql;
    if (rows.deliveries.length > 0) await emptyDeliveries(sql, rows.deliveries);
    if (rows.effects.length > 0) await deleteEffects(sql, rows.effects);
    if (rows.orders.length > 0) {
      await lock(connection, db, 'orders');
      const ofGuild = db.deleteFrom('order_names').where('community_id', '=', communityId);
      await run(connection, ofGuild.where('order_id', 'in', rows.orders));
      const orders = db.deleteFrom('orders').where('community_id', '=', communityId);
      await run(connection, orders.where('id', 'in', rows.orders));
    }
    if (rows.listings.length > 0) {
      await run(connection, db.deleteFrom('vote_counts').where('listing', 'in', rows.listings));
    }
  },
};

/**
 * Deletes the rows of a table that belong to a community that has ended, by their keys.
 * @param owner the column with its guild, or with the name of one of its listings
 */
export function deleteRowsByKey<Own = Tables>(
  table: keyof Own & string,
  owner: 'guild_id' | 'community_id' | 'listing',
  key: readonly ColumnOf<Own>[],
): NonNullable<SqlHooks['deleteOfGuild']> {
  // Kysely has no type for a table that is a parameter; of these tables only the named columns matter.
  const [like, columns] = [table as 'grants', key as readonly 'role'[]];
  return async ({ db, connection }, { guildId, communityId, listings }) => {
    const owners = { guild_id: [guildId], community_id: [communityId], listing: listings }[owner];
    if (owners.length === 0) return false;
    const own = db
      .selectFrom(like)
      .select(columns)
      .where(owner as 'guild_id', 'in', owners as readonly string[]);
    const rows = await run(connection, own.limit(literal(rowsPerWrite)));
    for (const row of rows) {
      const deleted = columns.reduce((rest, column) => rest.where(column, '=', row[column]), db.deleteFrom(like));
      await run(connection, deleted);
    }
    return rows.length === rowsPerWrite;
  };
}

type ColumnOf<Own> = { [Table in keyof Own]: keyof Own[Table] & string }[keyof Own];

export type GuildDataStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;

/**
 * Leaves out the last rows if entries of their delivery may follow. @param entries newest first, linked by `previous`
 */
function withWholeDeliveries<Row extends { readonly delivery_id: number | null; readonly previous: number | null }>(
  entries: readonly Row[],
): readonly Row[] {
  const last = entries.at(-1);
  if (last === undefined || last.previous === null || last.delivery_id === null) return entries;
  const start = entries.findIndex(({ delivery_id: id }) => id === last.delivery_id);
  return start === 0 ? entries : entries.slice(0, start);
}

/** Subtracts entries from the counters. If some are not counted yet, another process may be counting them. */
async function uncount(sql: Sql, entries: readonly (Counters & { readonly id: number })[]): Promise<void> {
  const { db, connection } = sql;
  const { 'entries below': below = 0 } = await readCounters(sql);
  if (below === 0) return;
  if (entries.some(({ id }) => id >= below)) {
    await counters.reset(sql);
    return;
  }
  for (const name of ['credits', 'votes', 'members'] as const) {
    const sum = entries.reduce((total, entry) => total + (entry[name] ?? 0), 0);
    const update = db.updateTable('counters').set((eb) => ({ value: eb('value', '-', sum) }));
    if (sum !== 0) await run(connection, update.where('name', '=', name));
  }
  // SQLite uses the id of a deleted entry again if it was the newest one.
  const next = kyselySql<number>`(select coalesce(max(id), -1) + 1 from entries)`;
  const again = db.updateTable('counters').set({ value: next }).where('name', '=', 'entries below');
  await run(connection, again.where('value', '>', next));
}

/** The deliveries stay, for the keys of their events; nothing in them is about anybody any more. */
async function emptyDeliveries(sql: Sql, ids: readonly number[]): Promise<void> {
  const { db, connection } = sql;
  const empty = { body: deletedBody, user_id: null, credits: 0, reason: null, origin: null };
  await run(connection, db.updateTable('deliveries').set(empty).where('id', 'in', ids));
  const effects = db.selectFrom('effects').select('id').where('delivery_id', 'in', ids);
  const effectIds = (await run(connection, effects)).map(({ id }) => id);
  if (effectIds.length > 0) await deleteEffects(sql, effectIds);
}

async function deleteEffects({ db, connection }: Sql, ids: readonly number[]): Promise<void> {
  await lock(connection, db, 'counters');
  await run(connection, uncountWaiting(db, ids));
  const waiting = db.deleteFrom('effects').where('id', 'in', ids).where('state', '=', literal('waiting'));
  await run(connection, waiting);
  await run(connection, countAgainFromNewest(db));
  await run(connection, db.updateTable('effects').set({ content: deletedContent }).where('id', 'in', ids));
}

function toScanned<Row extends { readonly id: number }>(
  rows: readonly Row[],
  isOwn: (row: Row) => boolean,
): ScannedRows {
  const lastId = rows.length < scanSize ? null : (rows.at(-1)?.id ?? null);
  return { ids: rows.filter(isOwn).map(({ id }) => id), lastId };
}

/** The key of a party in the content of an effect: `partyKey` of the feature. */
const partyPattern = /"(\d+) (?:day|week|month) \d{4}-[\dW-]+"/g;

/** Checks whether an effect names the guild, a party of the community or one of the listings. */
function concerns(
  { queue, content }: { readonly queue: string; readonly content: string },
  { guildId, communityId, listings }: EndedGuild,
): boolean {
  return (
    parseQueue(queue).communityId === communityId ||
    content.includes(`"${guildId}"`) ||
    [...content.matchAll(partyPattern)].some(([, id]) => Number(id) === communityId) ||
    listings.some((name) => content.includes(`"${name}"`))
  );
}
