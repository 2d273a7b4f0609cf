import { sql } from 'kysely';
import { type AccountId, accountIdOf } from '../../core/ledger/account.ts';
import { countedVoteCauses } from '../../core/ledger/entry.ts';
import { linkedEntries } from '../../core/store/linked-entries.ts';
import { literal, run } from '../../core/store/query-builder.ts';
import { toOutage } from '../../core/store/recording/queries.ts';
import type { Sql } from '../../core/store/sql-module.ts';
import type { AccountState } from '../../core/tally/account-state.ts';
import { calendarOf, outageDaysOf } from '../../core/tally/community.ts';
import { type ImportState, itemId, needsVotes, type StoredVote } from './decide.ts';
import type { ImportItem, ImportTarget } from './items.ts';

/** Reads what decisions about items of an import depend on, beside their accounts. */
export async function readImportState(
  { db, connection }: Sql,
  target: ImportTarget,
  items: readonly ImportItem[],
  accounts: ReadonlyMap<AccountId, AccountState>,
): Promise<ImportState> {
  const byAccount = Map.groupBy(items, ({ userId }) => accountIdOf(target.communityId, userId));
  const late = [...byAccount].flatMap(([id, own]) => {
    const account = accounts.get(id);
    return account !== undefined && needsVotes(account, own, target) ? [account] : [];
  });
  const [listing] = target.listings;
  const hasVotes = items.some(({ vote }) => vote !== null);
  const outages = hasVotes ? await run(connection, db.selectFrom('outages').selectAll().orderBy('from_at')) : [];
  return {
    accounts,
    imported: await readImported(byAccount),
    votes: await readVotes(late),
    outageDays: listing === undefined ? new Set() : outageDaysOf(outages.map(toOutage), calendarOf(listing.community)),
  };

  async function readImported(
    wanted: ReadonlyMap<AccountId, readonly ImportItem[]>,
  ): Promise<ReadonlyMap<string, number>> {
    const pairs = [...wanted].flatMap(([id, own]) => own.map(({ key }) => sql`(${id}, ${key})`));
    const stored = db
      .selectFrom('imported_items')
      .select(['account_id', 'item', 'credits'])
      .where('import_id', '=', target.importId)
      .where(sql<boolean>`(account_id, item) in (values ${sql.join(pairs)})`);
    const rows = await run(connection, stored);
    return new Map(rows.map(({ account_id, item, credits }) => [itemId(account_id, item), credits]));
  }

  async function readVotes(late: readonly AccountState[]): Promise<ReadonlyMap<AccountId, readonly StoredVote[]>> {
    if (late.length === 0) return new Map();
    const newest = late.flatMap(({ lastEntry }) => lastEntry ?? []);
    const votes = linkedEntries(db, newest).selectFrom('linked').select(['account_id', 'listing', 'at']);
    const rows = await run(connection, votes.where('cause', 'in', countedVoteCauses.map(literal)));
    return Map.groupBy(rows, ({ account_id }) => account_id);
  }
}
