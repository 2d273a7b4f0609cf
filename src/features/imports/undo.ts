import { type AccountId, partsOf } from '../../core/ledger/account.ts';
import { correctionEntry } from '../../core/ledger/correction.ts';
import { isCountedVote } from '../../core/ledger/entry.ts';
import { appendEntry, lockAccount, releaseAccount } from '../../core/store/accounts.ts';
import { run } from '../../core/store/query-builder.ts';
import type { Sql } from '../../core/store/sql-module.ts';
import { entriesOf, idsAtOnce, recount, reversedReason, uncountVotes } from '../../core/store/uncounted-votes.ts';
import { balanceKey, type ImportTarget, type UndoneMember } from './items.ts';
import { removeVoteKeys } from './vote-keys.ts';

/** The reason of votes that were imported and are not counted any more. */
const undoneReason = 'import undone';

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
  await recount(sql, account, await entriesOf(sql, account), { ...target, now });
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
  const own = db
    .selectFrom('imported_items')
    .where('import_id', '=', target.importId)
    .where('account_id', '=', accountId);
  const items = await run(connection, own.select(['entry_id', 'item', 'credits']));
  if (items.length === 0) {
    await releaseAccount(connection, db, account);
    return null;
  }
  const entries = await entriesOf(sql, account);
  // What was reversed since is taken back already.
  const reversed = new Set(entries.filter(({ reason }) => reason === reversedReason).map(({ id }) => id));
  const imported = items.reduce((sum, { credits, entry_id }) => sum + (reversed.has(entry_id) ? 0 : credits), 0);
  const credits = Math.min(imported, Math.max(0, account.credits));
  const spent = imported - credits;
  let rest = account;
  if (credits > 0) {
    const { communityId, userId } = partsOf(accountId);
    const correction = { communityId, userId, credits: -credits, reason: `${target.reason}: undone`, at: now };
    rest = await appendEntry(connection, db, account, correctionEntry(correction));
  }
  const voteIds = new Set(items.filter(({ item }) => item !== balanceKey).map(({ entry_id }) => entry_id));
  const counted = entries.filter(({ id, cause }) => voteIds.has(id) && isCountedVote(cause));
  const votes = counted.length;
  const ids = new Set(counted.map(({ id }) => id));
  const { listings } = target;
  for (let start = 0; start < votes; start += idsAtOnce)
    await removeVoteKeys(sql, target, accountId, counted.slice(start, start + idsAtOnce));
  if (votes > 0) await uncountVotes(sql, rest, { entries, ids, reason: undoneReason }, { listings, now });
  const done = db.deleteFrom('imported_items').where('import_id', '=', target.importId);
  await run(connection, done.where('account_id', '=', accountId));
  const total = db.updateTable('imports').set((eb) => ({ spent: eb('spent', '+', spent) }));
  await run(connection, total.where('id', '=', target.importId));
  await releaseAccount(connection, db, rest);
  return { credits, spent, votes };
}
