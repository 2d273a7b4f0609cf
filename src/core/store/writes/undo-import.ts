import type { Kysely, Selectable } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import { type AccountId, partsOf } from '../../ledger/account-id.ts';
import { correctionEntry } from '../../ledger/correction.ts';
import { isCountedVote } from '../../ledger/entry.ts';
import { isUnreachedMilestone } from '../../rewards/separate-history.ts';
import type { AccountState } from '../../tally/account-state.ts';
import { balanceKey, type ImportTarget, type UndoneMember } from '../../tally/import-store.ts';
import { recountVotes } from '../../tally/recount-votes.ts';
import { linkedEntries } from '../linked-entries.ts';
import { run } from '../query-builder.ts';
import { accountColumns, accountValues, toOutage } from '../recording/queries.ts';
import type { Tables } from '../tables.ts';
import { appendEntry, lockAccount, releaseAccount } from './accounts.ts';

type EntryRow = Pick<
  Selectable<Tables['entries']>,
  'id' | 'listing' | 'cause' | 'credits' | 'at' | 'achievement' | 'reason'
>;

/** The reason of votes that were imported and are not counted any more. */
const undoneReason = 'import undone';
/** Ids per statement. */
const idsAtOnce = 500;

/** The undo of imports, and what follows from imported votes, for use inside a transaction of `connection`. */
export function undoImportWrites(db: Kysely<Tables>, connection: Connection) {
  return {
    /** Brings the history of an account up to date with votes that were imported. `now` in ms since the epoch. */
    async recountAccount(target: Pick<ImportTarget, 'listings'>, accountId: AccountId, now: number): Promise<void> {
      const account = await lockAccount(connection, db, accountId);
      if (account.lastEntry === null) return releaseAccount(connection, db, account);
      await recount(target, account, await entriesOf(account), now);
    },

    /**
     * Takes back what an import credited to an account: credits by a correction, as far as the account has them. Its votes
     * stay in the ledger, as votes that do not count. Null if another undo has done it.
     */
    async undoImport(target: ImportTarget, accountId: AccountId, now: number): Promise<UndoneMember | null> {
      const account = await lockAccount(connection, db, accountId);
      const own = db
        .selectFrom('imported_items')
        .where('import_id', '=', target.importId)
        .where('user_id', '=', accountId);
      const items = await run(connection, own.select(['entry_id', 'item', 'credits']));
      if (items.length === 0) {
        await releaseAccount(connection, db, account);
        return null;
      }
      const imported = items.reduce((sum, { credits }) => sum + credits, 0);
      const credits = Math.min(imported, Math.max(0, account.credits));
      const spent = imported - credits;
      let rest = account;
      if (credits > 0) {
        const { accounts, userId } = partsOf(accountId);
        const correction = { accounts, userId, credits: -credits, reason: `${target.reason}: undone`, at: now };
        rest = await appendEntry(connection, db, account, correctionEntry(correction));
      }
      const voteIds = items.filter(({ item }) => item !== balanceKey).map(({ entry_id }) => entry_id);
      const votes = voteIds.length === 0 ? 0 : await uncountVotes(target, rest, new Set(voteIds), now);
      const done = db.deleteFrom('imported_items').where('import_id', '=', target.importId);
      await run(connection, done.where('user_id', '=', accountId));
      const total = db.updateTable('imports').set((eb) => ({ spent: eb('spent', '+', spent) }));
      await run(connection, total.where('id', '=', target.importId));
      await releaseAccount(connection, db, rest);
      return { credits, spent, votes };
    },
  };

  async function entriesOf({ lastEntry }: AccountState): Promise<readonly EntryRow[]> {
    const linked = linkedEntries(db, lastEntry).selectFrom('linked');
    return run(connection, linked.select(['id', 'listing', 'cause', 'credits', 'at', 'achievement', 'reason']));
  }

  /** Returns how many of these entries were counted votes. They are not any more. */
  async function uncountVotes(
    target: Pick<ImportTarget, 'listings'>,
    account: AccountState,
    ids: ReadonlySet<number>,
    now: number,
  ): Promise<number> {
    const entries = await entriesOf(account);
    const votes = entries.filter(({ id, cause }) => ids.has(id) && isCountedVote(cause));
    if (votes.length === 0) return 0;
    const voteIds = votes.map(({ id }) => id);
    for (let start = 0; start < voteIds.length; start += idsAtOnce) {
      const update = db.updateTable('entries').set({ cause: 'within_cooldown', reason: undoneReason });
      await run(connection, update.where('id', 'in', voteIds.slice(start, start + idsAtOnce)));
    }
    const left = account.votes - votes.length;
    const rest: EntryRow[] = [];
    for (const entry of entries) {
      const cause = ids.has(entry.id) && isCountedVote(entry.cause) ? 'within_cooldown' : entry.cause;
      const achievement = isUnreachedMilestone(entry.achievement, left) ? null : entry.achievement;
      rest.push({ ...entry, cause, achievement });
      if (achievement === entry.achievement) continue;
      await run(connection, db.updateTable('entries').set({ achievement }).where('id', '=', entry.id));
    }
    await recount(target, { ...account, votes: left }, rest, now);
    return votes.length;
  }

  async function recount(
    { listings }: Pick<ImportTarget, 'listings'>,
    account: AccountState,
    entries: readonly EntryRow[],
    now: number,
  ): Promise<void> {
    const outages = await run(connection, db.selectFrom('outages').selectAll().orderBy('from_at'));
    const values = accountValues(recountVotes(account, entries, { listings, outages: outages.map(toOutage), now }));
    const columns = Object.fromEntries(accountColumns.map((name, index) => [name, values[index]]));
    await run(connection, db.updateTable('balances').set(columns).where('user_id', '=', account.id));
  }
}
