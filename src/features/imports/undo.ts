import type { Selectable } from 'kysely';
import { type AccountId, partsOf } from '../../core/ledger/account-id.ts';
import { correctionEntry } from '../../core/ledger/correction.ts';
import { isCountedVote } from '../../core/ledger/entry.ts';
import { isUnreachedMilestone } from '../../core/rewards/separate-history.ts';
import { accountRow } from '../../core/store/account-columns.ts';
import { appendEntry, lockAccount, releaseAccount } from '../../core/store/accounts.ts';
import { linkedEntries } from '../../core/store/linked-entries.ts';
import { run } from '../../core/store/query-builder.ts';
import { toOutage } from '../../core/store/recording/queries.ts';
import type { Sql } from '../../core/store/sql-module.ts';
import type { Tables } from '../../core/store/tables.ts';
import type { AccountState } from '../../core/tally/account-state.ts';
import { recountVotes } from '../../core/tally/recount-votes.ts';
import { balanceKey, type ImportTarget, type UndoneMember } from './items.ts';
import { removeVoteKeys } from './vote-keys.ts';

type EntryRow = Pick<
  Selectable<Tables['entries']>,
  'id' | 'listing' | 'cause' | 'credits' | 'at' | 'achievement' | 'reason'
>;

/** The reason of votes that were imported and are not counted any more. */
const undoneReason = 'import undone';
/** Ids per statement. */
const idsAtOnce = 500;

/** Brings the history of an account up to date with votes that were imported. `now` in ms since the epoch. */
export async function recountAccount(
  sql: Sql,
  target: Pick<ImportTarget, 'listings'>,
  accountId: AccountId,
  now: number,
): Promise<void> {
  const { db, connection } = sql;
  const account = await lockAccount(connection, db, accountId);
  if (account.lastEntry === null) return releaseAccount(connection, db, account);
  await recount(sql, target, account, await entriesOf(sql, account), now);
}

/**
 * Takes back what an import credited to an account: credits by a correction, as far as the account has them. Its votes
 * stay in the ledger, as votes that do not count; a delivery of one counts again. Null if another undo has done it.
 */
export async function undoMember(
  sql: Sql,
  target: ImportTarget,
  accountId: AccountId,
  now: number,
): Promise<UndoneMember | null> {
  const { db, connection } = sql;
  const account = await lockAccount(connection, db, accountId);
  const own = db.selectFrom('imported_items').where('import_id', '=', target.importId).where('user_id', '=', accountId);
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
  const votes = voteIds.length === 0 ? 0 : await uncountVotes(sql, target, rest, new Set(voteIds), now);
  const done = db.deleteFrom('imported_items').where('import_id', '=', target.importId);
  await run(connection, done.where('user_id', '=', accountId));
  const total = db.updateTable('imports').set((eb) => ({ spent: eb('spent', '+', spent) }));
  await run(connection, total.where('id', '=', target.importId));
  await releaseAccount(connection, db, rest);
  return { credits, spent, votes };
}

async function entriesOf({ db, connection }: Sql, { lastEntry }: AccountState): Promise<readonly EntryRow[]> {
  const linked = linkedEntries(db, lastEntry).selectFrom('linked');
  return run(connection, linked.select(['id', 'listing', 'cause', 'credits', 'at', 'achievement', 'reason']));
}

/** Returns how many of these entries were counted votes. They are not any more. */
async function uncountVotes(
  sql: Sql,
  target: Pick<ImportTarget, 'listings'>,
  account: AccountState,
  ids: ReadonlySet<number>,
  now: number,
): Promise<number> {
  const { db, connection } = sql;
  const entries = await entriesOf(sql, account);
  const votes = entries.filter(({ id, cause }) => ids.has(id) && isCountedVote(cause));
  if (votes.length === 0) return 0;
  for (let start = 0; start < votes.length; start += idsAtOnce) {
    const some = votes.slice(start, start + idsAtOnce);
    const update = db.updateTable('entries').set({ cause: 'within_cooldown', reason: undoneReason });
    const voteIds = some.map(({ id }) => id);
    await run(connection, update.where('id', 'in', voteIds));
    await removeVoteKeys(sql, target, account.id, some);
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
  await recount(sql, target, { ...account, votes: left }, rest, now);
  return votes.length;
}

async function recount(
  { db, connection }: Sql,
  { listings }: Pick<ImportTarget, 'listings'>,
  account: AccountState,
  entries: readonly EntryRow[],
  now: number,
): Promise<void> {
  const outages = await run(connection, db.selectFrom('outages').selectAll().orderBy('from_at'));
  const recounted = recountVotes(account, entries, { listings, outages: outages.map(toOutage), now });
  await run(connection, db.updateTable('balances').set(accountRow(recounted)).where('user_id', '=', account.id));
}
