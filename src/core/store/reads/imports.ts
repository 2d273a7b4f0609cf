import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import { type AccountId, accountIdOf } from '../../ledger/account-id.ts';
import type { AccountState } from '../../tally/account-state.ts';
import { decideImport } from '../../tally/decide-import.ts';
import type { ImportItem, ImportStore, ImportTarget } from '../../tally/import-store.ts';
import { run } from '../query-builder.ts';
import { type BalanceRow, toAccountState } from '../recording/queries.ts';
import type { Tables } from '../tables.ts';
import type { Write } from '../writes/writes.ts';
import { readImportState } from './import-state.ts';

/** The import port over SQL. */
export function sqlImports(db: Kysely<Tables>, reading: Connection, write: Write): ImportStore {
  async function readAccounts(
    { accounts }: ImportTarget,
    items: readonly ImportItem[],
  ): Promise<ReadonlyMap<AccountId, AccountState>> {
    const ids = [...new Set(items.map(({ userId }) => accountIdOf(accounts, userId)))];
    const rows = await run(reading, db.selectFrom('balances').selectAll().where('user_id', 'in', ids));
    return new Map(
      rows.map((row) => {
        const account = toAccountState(row as BalanceRow);
        return [account.id, account];
      }),
    );
  }

  return {
    async list() {
      const rows = await run(reading, db.selectFrom('imports').selectAll().orderBy('id', 'desc'));
      return rows.map(({ guild_id: accounts, started_at: startedAt, finished_at: finishedAt, ...row }) => {
        return { ...row, accounts, startedAt, finishedAt };
      });
    },
    start: (description, now) => write('startImport', description, now),
    async preview(target, items) {
      const state = await readImportState(db, reading, target, items, await readAccounts(target, items));
      return decideImport(target, items, state, 0).outcomes;
    },
    apply: (target, items, now) => write('applyImport', target, items, now),
    async members(importId, after, limit) {
      const items = db.selectFrom('imported_items').select('user_id').distinct().where('import_id', '=', importId);
      const rows = await run(reading, items.where('user_id', '>', after).orderBy('user_id').limit(limit));
      return rows.map(({ user_id }) => user_id);
    },
    recount: (target, accountId, now) => write('recountAccount', target, accountId as AccountId, now),
    setState: (importId, state, now) => write('setImportState', importId, state, now),
    undoMember: (target, accountId, now) => write('undoImport', target, accountId as AccountId, now),
  };
}
