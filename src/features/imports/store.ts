import { sql as kyselySql } from 'kysely';
import { type AccountId, accountIdOf } from '../../core/ledger/account.ts';
import type { Entry } from '../../core/ledger/entry.ts';
import { accountColumns, accountRow, type BalanceRow, toAccountState } from '../../core/store/account-columns.ts';
import { lock } from '../../core/store/lock.ts';
import { run } from '../../core/store/query-builder.ts';
import type { Sql } from '../../core/store/sql-module.ts';
import { type AccountState, withEntry } from '../../core/tally/account-state.ts';
import { decideImport, type ImportDecision } from './decide.ts';
import type {
  ImportDescription,
  ImportItem,
  ImportState,
  ImportTarget,
  ItemOutcome,
  StoredImport,
  UndoneMember,
} from './items.ts';
import { readImportState } from './stored-state.ts';
import { recountAccount, undoMember } from './undo.ts';
import { addVoteKeys } from './vote-keys.ts';

/* Entries of other programs. `now` in ms since the epoch. */

export const reads = {
  /** All imports, newest first. */
  async list({ db, connection }: Sql): Promise<readonly StoredImport[]> {
    const imports = db.selectFrom('imports').innerJoin('communities', 'communities.id', 'imports.community_id');
    const columns = imports.selectAll('imports').select('communities.guild_id').orderBy('imports.id', 'desc');
    const rows = await run(connection, columns);
    return rows.map(({ community_id: communityId, guild_id: guildId, started_at, finished_at, ...row }) => {
      return { ...row, communityId, guildId, startedAt: started_at, finishedAt: finished_at };
    });
  },

  /** Decides about items as `apply` would, and stores nothing. `importId` may be one that does not exist. */
  async preview(sql: Sql, target: ImportTarget, items: readonly ImportItem[]): Promise<readonly ItemOutcome[]> {
    const ids = [...new Set(items.map(({ userId }) => accountIdOf(target.communityId, userId)))];
    const rows = await run(sql.connection, sql.db.selectFrom('balances').selectAll().where('account_id', 'in', ids));
    const state = await readImportState(sql, target, items, byId(rows));
    return decideImport(target, items, state, 0).outcomes;
  },

  /** The latest vote for a listing that an import has credited (ms since the epoch); null without one. */
  async lastVoteAt({ db, connection }: Sql, importId: number, listing: string): Promise<number | null> {
    const votes = db.selectFrom('imported_items').innerJoin('entries', 'entries.id', 'imported_items.entry_id');
    const own = votes.where('import_id', '=', importId).where('listing', '=', listing).where('cause', '=', 'vote');
    const [last] = await run(
      connection,
      own.select((eb) => eb.fn.max('at').as('at')),
    );
    return last?.at ?? null;
  },

  /** Members with items of an import whose account id follows `after`, in their order. */
  async members(
    { db, connection }: Sql,
    importId: number,
    after: AccountId | null,
    limit: number,
  ): Promise<readonly AccountId[]> {
    const items = db.selectFrom('imported_items').select('account_id').distinct().where('import_id', '=', importId);
    const rows = await run(
      connection,
      (after === null ? items : items.where('account_id', '>', after)).orderBy('account_id').limit(limit),
    );
    return rows.map(({ account_id }) => account_id);
  },
};

export const writes = {
  /** The id of the import with this name, which is created unless it exists and was not undone. */
  async start(sql: Sql, { name, communityId: community_id }: ImportDescription, now: number): Promise<number> {
    const { db, connection } = sql;
    await lock(connection, db, 'imports');
    const same = db
      .selectFrom('imports')
      .select('id')
      .where('name', '=', name)
      .where('community_id', '=', community_id);
    const [stored] = await run(connection, same.where('state', '<>', 'undone'));
    if (stored !== undefined) {
      await setState(sql, stored.id, 'importing', now);
      return stored.id;
    }
    const row = { name, community_id, state: 'importing' as const, started_at: now, finished_at: null };
    const insert = db.insertInto('imports').values({ ...row, credits: 0, votes: 0, entries: 0, spent: 0 });
    const [inserted] = await run(connection, insert.returning('id'));
    if (inserted === undefined) throw new Error('The import could not be stored.');
    return inserted.id;
  },

  setState,

  /** Credits items, each once. The outcomes are in the order of the items. */
  async apply(
    sql: Sql,
    target: ImportTarget,
    items: readonly ImportItem[],
    now: number,
  ): Promise<readonly ItemOutcome[]> {
    const accounts = await lockAccounts(sql, target, items);
    const state = await readImportState(sql, target, items, accounts);
    const decision = decideImport(target, items, state, now);
    if (decision.entries.length > 0) await write(sql, target, decision);
    return decision.outcomes;
  },

  /** Brings streak and history of a member up to date with imported votes, without rewards for them. */
  async recount(sql: Sql, target: Pick<ImportTarget, 'listings'>, accountId: AccountId, now: number): Promise<void> {
    await recountAccount(sql, target, accountId, now);
  },

  /**
   * Takes back what an import credited to one member: credits by a correction, as far as the member still has them. Null
   * if nothing is left to take back: another process has done it.
   */
  async undoMember(sql: Sql, target: ImportTarget, accountId: AccountId, now: number): Promise<UndoneMember | null> {
    return undoMember(sql, target, accountId, now);
  },
};

async function setState({ db, connection }: Sql, importId: number, state: ImportState, now: number): Promise<void> {
  const finished_at = state === 'done' || state === 'undone' ? now : null;
  await run(connection, db.updateTable('imports').set({ state, finished_at }).where('id', '=', importId));
}

/** Locks the accounts of the items in the order of their ids. Each gets an entry, or has one already. */
async function lockAccounts(
  sql: Sql,
  { communityId }: ImportTarget,
  items: readonly ImportItem[],
): Promise<ReadonlyMap<AccountId, AccountState>> {
  const ids = [...new Set(items.map(({ userId }) => accountIdOf(communityId, userId)))].sort();
  const values = ids.map((id) => ({ account_id: id, credits: 0, votes: 0, last_votes: '{}' }));
  const insert = sql.db.insertInto('balances').values(values);
  const rows = await run(
    sql.connection,
    insert
      .onConflict((conflict) =>
        conflict.column('account_id').doUpdateSet((eb) => ({ account_id: eb.ref('excluded.account_id') })),
      )
      .returningAll(),
  );
  return byId(rows);
}

async function write(sql: Sql, target: ImportTarget, { accounts, entries }: ImportDecision): Promise<void> {
  const { importId } = target;
  const updated = new Map(accounts);
  const ids = await insertEntries(sql, updated, entries);
  const items = entries.map(({ entry, item }, index) => ({
    import_id: importId,
    account_id: entry.accountId,
    item: item.key,
    entry_id: ids[index] ?? 0,
    credits: item.credits,
  }));
  await run(sql.connection, sql.db.insertInto('imported_items').values(items));
  const votes = entries.filter(({ item }) => item.vote !== null);
  const timed = votes.filter(({ item }) => item.vote?.isTotal === false);
  await addVoteKeys(
    sql,
    target,
    timed.map(({ entry }) => entry),
  );
  await saveAccounts(sql, [...updated.values()]);
  const credits = entries.reduce((sum, { entry }) => sum + entry.credits, 0);
  const total = sql.db.updateTable('imports').set((eb) => ({
    credits: eb('credits', '+', credits),
    votes: eb('votes', '+', votes.length),
    entries: eb('entries', '+', entries.length),
  }));
  await run(sql.connection, total.where('id', '=', importId));
}

/**
 * Inserts the entries, the first of each account together, then the second ones, and so on, because each has the id of
 * the one before. Returns their ids.
 */
async function insertEntries(
  sql: Sql,
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
    const values = round.map(({ entry: { accountId: account_id, deliveryId, untimed, ...columns }, account }) => ({
      ...columns,
      account_id,
      delivery_id: deliveryId,
      untimed: untimed ? 1 : 0,
      previous: account.lastEntry,
      number: account.entries + 1,
    }));
    const rows = await run(sql.connection, sql.db.insertInto('entries').values(values).returning(['id', 'account_id']));
    const idOf = new Map(rows.map(({ id, account_id }) => [account_id, id]));
    for (const { index, entry, account } of round) {
      const id = idOf.get(entry.accountId);
      if (id === undefined) throw new Error('An entry could not be inserted.');
      ids[index] = id;
      accounts.set(account.id, withEntry(account, entry, id));
    }
  }
}

async function saveAccounts(sql: Sql, accounts: readonly AccountState[]): Promise<void> {
  const values = accounts.map((account) => {
    return { account_id: account.id, credits: 0, votes: 0, last_votes: '', ...accountRow(account) };
  });
  const excluded = Object.fromEntries(accountColumns.map((name) => [name, kyselySql.ref(`excluded.${name}`)]));
  await run(
    sql.connection,
    sql.db
      .insertInto('balances')
      .values(values)
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet(excluded)),
  );
}

function byId(rows: readonly object[]): ReadonlyMap<AccountId, AccountState> {
  return new Map(rows.map((row) => toAccountState(row as BalanceRow)).map((account) => [account.id, account]));
}
