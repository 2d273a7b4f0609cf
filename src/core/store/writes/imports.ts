import { type Kysely, sql } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import { type AccountId, accountIdOf } from '../../ledger/account-id.ts';
import type { Entry } from '../../ledger/entry.ts';
import { type AccountState, withEntry } from '../../tally/account-state.ts';
import { decideImport, type ImportDecision } from '../../tally/decide-import.ts';
import type {
  ImportDescription,
  ImportItem,
  ImportState,
  ImportTarget,
  ItemOutcome,
} from '../../tally/import-store.ts';
import { accountKey } from '../account-columns.ts';
import { run } from '../query-builder.ts';
import { readImportState } from '../reads/import-state.ts';
import { accountColumns, accountValues, type BalanceRow, toAccountState } from '../recording/queries.ts';
import type { Tables } from '../tables.ts';
import { lock } from './lock.ts';

/** Entries of other programs, for use inside a transaction of `connection`. */
export function importWrites(db: Kysely<Tables>, connection: Connection) {
  return {
    /** The id of the import with this name, which is created unless it exists and was not undone. */
    async startImport({ name, accounts: guild_id }: ImportDescription, now: number): Promise<number> {
      await lock(connection, db, 'imports');
      const same = db.selectFrom('imports').select('id').where('name', '=', name).where('guild_id', '=', guild_id);
      const [stored] = await run(connection, same.where('state', '<>', 'undone'));
      if (stored !== undefined) {
        await setImportState(stored.id, 'importing', now);
        return stored.id;
      }
      const row = { name, guild_id, state: 'importing' as const, started_at: now, finished_at: null };
      const insert = db.insertInto('imports').values({ ...row, credits: 0, votes: 0, entries: 0, spent: 0 });
      const [inserted] = await run(connection, insert.returning('id'));
      if (inserted === undefined) throw new Error('The import could not be stored.');
      return inserted.id;
    },

    setImportState,

    /** Credits items, each once. `now` in ms since the epoch. */
    async applyImport(
      target: ImportTarget,
      items: readonly ImportItem[],
      now: number,
    ): Promise<readonly ItemOutcome[]> {
      const accounts = await lockAccounts(target, items);
      const state = await readImportState(db, connection, target, items, accounts);
      const decision = decideImport(target, items, state, now);
      if (decision.entries.length > 0) await write(target, decision);
      return decision.outcomes;
    },
  };

  async function setImportState(importId: number, state: ImportState, now: number): Promise<void> {
    const finished_at = state === 'done' || state === 'undone' ? now : null;
    await run(connection, db.updateTable('imports').set({ state, finished_at }).where('id', '=', importId));
  }

  /** Locks the accounts of the items in the order of their ids. Each gets an entry, or has one already. */
  async function lockAccounts(
    { accounts }: ImportTarget,
    items: readonly ImportItem[],
  ): Promise<ReadonlyMap<AccountId, AccountState>> {
    const ids = [...new Set(items.map(({ userId }) => accountIdOf(accounts, userId)))].sort();
    const values = ids.map((id) => ({ ...accountKey(id), credits: 0, votes: 0, last_votes: '{}' }));
    const insert = db.insertInto('balances').values(values);
    const rows = await run(
      connection,
      insert
        .onConflict((conflict) =>
          conflict.column('user_id').doUpdateSet((eb) => ({ user_id: eb.ref('excluded.user_id') })),
        )
        .returningAll(),
    );
    return new Map(
      rows.map((row) => {
        const account = toAccountState(row as BalanceRow);
        return [account.id, account];
      }),
    );
  }

  async function write({ importId }: ImportTarget, { accounts, entries }: ImportDecision): Promise<void> {
    const updated = new Map(accounts);
    const ids = await insertEntries(updated, entries);
    const items = entries.map(({ entry, item }, index) => ({
      ...{ import_id: importId, user_id: entry.accountId, item: item.key },
      ...{ entry_id: ids[index] ?? 0, credits: item.credits },
    }));
    await run(connection, db.insertInto('imported_items').values(items));
    await saveAccounts([...updated.values()]);
    const credits = entries.reduce((sum, { entry }) => sum + entry.credits, 0);
    const votes = entries.filter(({ item }) => item.vote !== null).length;
    const total = db.updateTable('imports').set((eb) => ({
      ...{ credits: eb('credits', '+', credits), votes: eb('votes', '+', votes) },
      entries: eb('entries', '+', entries.length),
    }));
    await run(connection, total.where('id', '=', importId));
  }

  /**
   * Inserts the entries, the first of each account together, then the second ones, and so on, because each has the id of
   * the one before. Returns their ids.
   */
  async function insertEntries(
    accounts: Map<AccountId, AccountState>,
    entries: readonly { readonly entry: Entry }[],
  ): Promise<readonly number[]> {
    const ids: number[] = [];
    const byAccount = [...Map.groupBy(entries.entries(), ([, { entry }]) => entry.accountId).values()];
    for (let number = 0; ; number += 1) {
      const round = byAccount.flatMap((own) => {
        const [index = 0, { entry } = {}] = own[number] ?? [];
        const account = entry === undefined ? undefined : accounts.get(entry.accountId);
        return entry === undefined || account === undefined ? [] : [{ index, entry, account }];
      });
      if (round.length === 0) return ids;
      const values = round.map(({ entry: { accountId: user_id, deliveryId, untimed, ...columns }, account }) => ({
        ...columns,
        ...{ user_id, delivery_id: deliveryId, untimed: untimed ? 1 : 0 },
        ...{ previous: account.lastEntry, number: account.entries + 1 },
      }));
      const rows = await run(connection, db.insertInto('entries').values(values).returning(['id', 'user_id']));
      const idOf = new Map(rows.map(({ id, user_id }) => [user_id, id]));
      for (const { index, entry, account } of round) {
        const id = idOf.get(entry.accountId);
        if (id === undefined) throw new Error('An entry could not be inserted.');
        ids[index] = id;
        accounts.set(account.id, withEntry(account, entry, id));
      }
    }
  }

  async function saveAccounts(accounts: readonly AccountState[]): Promise<void> {
    const values = accounts.map((account) => {
      const columns = accountValues(account);
      const named = Object.fromEntries(accountColumns.map((name, index) => [name, columns[index]]));
      return { ...accountKey(account.id), credits: 0, votes: 0, last_votes: '', ...named };
    });
    const excluded = Object.fromEntries(accountColumns.map((name) => [name, sql.ref(`excluded.${name}`)]));
    await run(
      connection,
      db
        .insertInto('balances')
        .values(values)
        .onConflict((conflict) => conflict.column('user_id').doUpdateSet(excluded)),
    );
  }
}
