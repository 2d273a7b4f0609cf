import { type Kysely, sql } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import type { AccountId } from '../../ledger/account-id.ts';
import { isCountedVote } from '../../ledger/entry.ts';
import { readCounters } from '../counters/counted-rows.ts';
import type { Counters } from '../counters/counters.ts';
import { writes as counters } from '../counters/store.ts';
import { countAgainFromNewest, uncountWaiting } from '../counters/uncount-effects.ts';
import { linkedEntries } from '../linked-entries.ts';
import { literal, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import { lock } from './lock.ts';

/** Entries that one transaction deletes: a few ms. */
const entriesAtOnce = 200;
/** The body of a delivery of a community whose data was deleted. */
export const deletedBody = '{"deleted":true}';
/** Contents that no version can read, so that the effect is not carried out. */
const deletedContent = '{}';

/** Rows of a community, by their keys; few enough for one statement each. */
export interface GuildRows {
  readonly deliveries: readonly number[];
  readonly effects: readonly number[];
  readonly plannedEffects: readonly number[];
  readonly grants: readonly { readonly userId: string; readonly role: string; readonly source: string }[];
  readonly purchases: readonly number[];
  readonly reminders: readonly { readonly userId: string; readonly listing: string }[];
  readonly orders: readonly string[];
  readonly partyVoters: readonly { readonly period: string; readonly userId: string }[];
  readonly parties: readonly string[];
  readonly progress: readonly string[];
  /** Listings without any other rows: their reviews and counted votes. */
  readonly listings: readonly string[];
}

/** Deletes the data of a community, some rows per transaction, for use inside a transaction of `connection`. */
export function guildDataWrites(db: Kysely<Tables>, connection: Connection) {
  /** Subtracts entries from the counters. If some are not counted yet, another process may be counting them. */
  async function uncount(entries: readonly (Counters & { readonly id: number })[]): Promise<void> {
    const { 'entries below': below = 0 } = await readCounters({ db, connection });
    if (below === 0) return;
    if (entries.some(({ id }) => id >= below)) {
      await counters.reset({ db, connection });
      return;
    }
    for (const name of ['credits', 'votes', 'members'] as const) {
      const sum = entries.reduce((total, entry) => total + (entry[name] ?? 0), 0);
      const update = db.updateTable('counters').set((eb) => ({ value: eb('value', '-', sum) }));
      if (sum !== 0) await run(connection, update.where('name', '=', name));
    }
    // SQLite uses the id of a deleted entry again if it was the newest one.
    const next = sql<number>`(select coalesce(max(id), -1) + 1 from entries)`;
    const again = db.updateTable('counters').set({ value: next }).where('name', '=', 'entries below');
    await run(connection, again.where('value', '>', next));
  }

  return {
    /**
     * Deletes the newest entries of an account, with what their deliveries contain, and the account after its last entry.
     * In between, the account is consistent.
     */
    async deleteAccountEntries(user_id: AccountId): Promise<void> {
      const touch = db.updateTable('balances').set({ user_id }).where('user_id', '=', user_id);
      const [account] = await run(connection, touch.returning(['last_entry', 'entries']));
      if (account === undefined) return;
      // Entries before accounts, as everywhere: counting waits for nobody.
      await lock(connection, db, 'counters');
      const linked = linkedEntries(db, account.last_entry).selectFrom('linked').selectAll();
      const entries = await run(connection, linked.limit(literal(entriesAtOnce)));
      const rows = entries.map(({ id, credits, cause, previous }) => {
        return { id, credits, votes: isCountedVote(cause) ? 1 : 0, members: previous === null ? 1 : 0 };
      });
      if (rows.length > 0) {
        const ids = rows.map(({ id }) => id);
        await run(connection, db.deleteFrom('entries').where('id', 'in', ids));
        await uncount(rows);
        const deliveries = entries.flatMap(({ delivery_id: id }) => id ?? []);
        if (deliveries.length > 0) await emptyDeliveries(deliveries);
      }
      const previous = entries.at(-1)?.previous ?? null;
      if (previous === null) {
        await run(connection, db.deleteFrom('corrections').where('user_id', '=', user_id));
        const items = db.deleteFrom('imported_items').where('import_id', 'in', db.selectFrom('imports').select('id'));
        await run(connection, items.where('user_id', '=', user_id));
        await run(connection, db.deleteFrom('balances').where('user_id', '=', user_id));
        return;
      }
      const sumOf = (name: 'credits' | 'votes') => rows.reduce((total, row) => total + row[name], 0);
      const rest = db.updateTable('balances').set((eb) => ({
        ...{ last_entry: previous, history: null, last_votes: '{}' },
        credits: eb('credits', '-', sumOf('credits')),
        votes: eb('votes', '-', sumOf('votes')),
        entries: eb('entries', '-', Math.min(rows.length, account.entries)),
      }));
      await run(connection, rest.where('user_id', '=', user_id));
    },

    async deleteGuildRows(rows: GuildRows): Promise<void> {
      if (rows.deliveries.length > 0) await emptyDeliveries(rows.deliveries);
      if (rows.effects.length > 0) await deleteEffects(rows.effects);
      if (rows.plannedEffects.length > 0)
        await run(connection, db.deleteFrom('planned_effects').where('id', 'in', rows.plannedEffects));
      for (const { userId, role, source } of rows.grants) {
        const grant = db.deleteFrom('grants').where('user_id', '=', userId).where('role', '=', role);
        await run(connection, grant.where('source', '=', source));
      }
      if (rows.purchases.length > 0)
        await run(connection, db.deleteFrom('purchases').where('id', 'in', rows.purchases));
      for (const { userId, listing } of rows.reminders) {
        const reminder = db.deleteFrom('reminders').where('user_id', '=', userId);
        await run(connection, reminder.where('listing', '=', listing));
      }
      if (rows.orders.length > 0) {
        await lock(connection, db, 'orders');
        await run(connection, db.deleteFrom('order_names').where('order_id', 'in', rows.orders));
        await run(connection, db.deleteFrom('orders').where('id', 'in', rows.orders));
      }
      for (const { period, userId } of rows.partyVoters) {
        const voter = db.deleteFrom('party_voters').where('period', '=', period);
        await run(connection, voter.where('user_id', '=', userId));
      }
      if (rows.parties.length > 0) await run(connection, db.deleteFrom('parties').where('period', 'in', rows.parties));
      if (rows.progress.length > 0)
        await run(connection, db.deleteFrom('announcement_progress').where('key', 'in', rows.progress));
      if (rows.listings.length > 0) {
        await run(connection, db.deleteFrom('announced_reviews').where('listing', 'in', rows.listings));
        await run(connection, db.deleteFrom('vote_counts').where('listing', 'in', rows.listings));
      }
    },
  };

  /** The deliveries stay, for the keys of their events; nothing in them is about anybody any more. */
  async function emptyDeliveries(ids: readonly number[]): Promise<void> {
    const empty = { body: deletedBody, user_id: null, credits: 0, reason: null };
    await run(connection, db.updateTable('deliveries').set(empty).where('id', 'in', ids));
    const effects = db.selectFrom('effects').select('id').where('delivery_id', 'in', ids);
    const effectIds = (await run(connection, effects)).map(({ id }) => id);
    if (effectIds.length > 0) await deleteEffects(effectIds);
  }

  async function deleteEffects(ids: readonly number[]): Promise<void> {
    await lock(connection, db, 'counters');
    await run(connection, uncountWaiting(db, ids));
    const waiting = db.deleteFrom('effects').where('id', 'in', ids).where('state', '=', literal('waiting'));
    await run(connection, waiting);
    await run(connection, countAgainFromNewest(db));
    await run(connection, db.updateTable('effects').set({ content: deletedContent }).where('id', 'in', ids));
  }
}
