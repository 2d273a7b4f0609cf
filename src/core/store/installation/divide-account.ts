import type { Selectable } from 'kysely';
import { type AccountId, type AccountScope, accountIdOf, memberOf, partsOf } from '../../ledger/account.ts';
import { correctionEntry } from '../../ledger/correction.ts';
import { isCountedVote } from '../../ledger/entry.ts';
import { isUnreachedMilestone } from '../../rewards/separate-history.ts';
import { type AccountState, joinMarks, withEntry } from '../../tally/account-state.ts';
import type { ListingContext } from '../../tally/listing-context.ts';
import { historyFrom } from '../../tally/recount-votes.ts';
import { accountRow } from '../account-columns.ts';
import { appendEntry, lockAccount, releaseAccount } from '../accounts.ts';
import { linkedEntries } from '../linked-entries.ts';
import { run } from '../query-builder.ts';
import { toOutage } from '../recording/queries.ts';
import type { Sql } from '../sql-module.ts';
import type { Tables } from '../tables.ts';

/** Why credits were moved with a pair of corrections. Stored in the entries, so it is never translated. */
export const separationReason = 'spent before accounts were per server';

/** How accounts are divided. Plain data. */
export interface Separation {
  /** The listings of other communities than the home one, whose entries are moved. */
  readonly moved: readonly ListingContext[];
  /** The listings of the home community. */
  readonly kept: readonly ListingContext[];
}

type EntryRow = Selectable<Tables['entries']>;

/** An account with all its entries, oldest first. */
interface Ledger {
  readonly account: AccountState;
  readonly entries: readonly EntryRow[];
}

/** Divides a home account. Returns whether it had something to move. */
export async function divideAccount(
  sql: Sql,
  homeId: AccountId,
  { moved, kept }: Separation,
  now: number,
): Promise<boolean> {
  const { db, connection } = sql;
  const byScope = Map.groupBy(moved, ({ community }) => community.accounts);
  const idOf = (scope: AccountScope) => accountIdOf(scope, memberOf(homeId));
  const ids = [homeId, ...[...byScope.keys()].map(idOf)].sort();
  const ledgers = new Map<AccountId, Ledger>();
  for (const id of ids) ledgers.set(id, await readLedger(sql, await lockAccount(connection, db, id)));
  const home = ledgerOf(ledgers, homeId);
  const isOverdrawn = home.account.credits < 0;
  let remaining = home;
  for (const [scope, listings] of byScope) {
    const names = listings.map(({ name }) => name);
    const own = remaining.entries.filter(({ listing }) => listing !== null && names.includes(listing));
    if (own.length === 0) continue;
    const target = withEntries(ledgerOf(ledgers, idOf(scope)), own, home.account);
    const rest = withoutEntries(remaining, own, names);
    ledgers.set(target.account.id, await rewrite(sql, target, listings, now));
    remaining = rest;
    ledgers.set(homeId, await rewrite(sql, remaining, kept, now));
    // A balance that may be negative, by the owner's will, is no debt to another community.
    remaining = isOverdrawn
      ? ledgerOf(ledgers, homeId)
      : await settleDebt(sql, ledgers, homeId, target.account.id, now);
  }
  for (const { account } of ledgers.values()) await releaseAccount(connection, db, account);
  return remaining !== home;
}

/** Credits that were spent at home cannot be moved, so that no balance becomes negative. */
async function settleDebt(
  sql: Sql,
  ledgers: Map<AccountId, Ledger>,
  homeId: AccountId,
  targetId: AccountId,
  now: number,
): Promise<Ledger> {
  const { db, connection } = sql;
  const home = ledgerOf(ledgers, homeId);
  const debt = -home.account.credits;
  if (debt <= 0) return home;
  const correct = async (id: AccountId, credits: number): Promise<Ledger> => {
    const correction = { ...partsOf(id), credits, reason: separationReason, at: now };
    const account = await appendEntry(connection, db, ledgerOf(ledgers, id).account, correctionEntry(correction));
    const ledger = await readLedger(sql, account);
    ledgers.set(id, ledger);
    return ledger;
  };
  await correct(targetId, -debt);
  return correct(homeId, debt);
}

async function readLedger({ db, connection }: Sql, account: AccountState): Promise<Ledger> {
  const entries = await run(connection, linkedEntries(db, account.lastEntry).selectFrom('linked').selectAll());
  return { account, entries: entries.toReversed() };
}

/** Stores which entries an account has, in their order, and what follows from them. */
async function rewrite(
  sql: Sql,
  { account, entries }: Ledger,
  listings: readonly ListingContext[],
  now: number,
): Promise<Ledger> {
  const { db, connection } = sql;
  const { id: user_id, votes } = account;
  const linked: EntryRow[] = [];
  for (const [index, entry] of entries.entries()) {
    const previous = linked.at(-1)?.id ?? null;
    const achievement = isUnreachedMilestone(entry.achievement, votes) ? null : entry.achievement;
    const row = { ...entry, user_id, previous, number: index + 1, achievement };
    linked.push(row);
    const isSame = row.previous === entry.previous && row.number === entry.number && achievement === entry.achievement;
    if (isSame && entry.user_id === user_id) continue;
    const update = db.updateTable('entries').set({ user_id, previous, number: row.number, achievement });
    await run(connection, update.where('id', '=', entry.id));
  }
  const updated = {
    ...account,
    ...(await historyOf(sql, linked, listings, now)),
    lastEntry: linked.at(-1)?.id ?? null,
    entries: linked.length,
  };
  const roles = account.roles.length === 0 ? null : JSON.stringify(account.roles);
  const save = db.updateTable('balances').set({ ...accountRow(updated), roles });
  await run(connection, save.where('user_id', '=', user_id));
  return { account: updated, entries: linked };
}

/** Without listings, the history is computed with the next vote. */
async function historyOf(
  { db, connection }: Sql,
  entries: readonly EntryRow[],
  listings: readonly ListingContext[],
  now: number,
) {
  if (listings.length === 0) return { history: null };
  const outages = await run(connection, db.selectFrom('outages').selectAll().orderBy('from_at'));
  return historyFrom(entries, { listings, outages: outages.map(toOutage), now });
}

function ledgerOf(ledgers: ReadonlyMap<AccountId, Ledger>, id: AccountId): Ledger {
  const ledger = ledgers.get(id);
  if (ledger === undefined) throw new Error(`The account ${id} is not locked.`);
  return ledger;
}

/**
 * An account with entries of the home account, which are older than its own, or were added by an earlier version beside
 * this one. What features have noted stays.
 */
function withEntries({ account, entries }: Ledger, moved: readonly EntryRow[], home: AccountState): Ledger {
  // Afterwards the member may have changed them here.
  const isNew = entries.length === 0;
  const marks = isNew ? joinMarks(account.marks, home.marks) : account.marks;
  const updated = moved.reduce<AccountState>(
    (state, { id, listing, credits, cause, reason, at, delivery_id: deliveryId, untimed, achievement }) => {
      const entry = { accountId: account.id, listing, credits, cause, reason, at, deliveryId, achievement };
      return withEntry(state, { ...entry, untimed: untimed !== 0 }, id);
    },
    { ...account, marks, roles: isNew ? home.roles : account.roles },
  );
  return { account: updated, entries: [...moved, ...entries] };
}

/** An account without some of its entries. A balance without entries, which was imported by hand, stays. */
function withoutEntries({ account, entries }: Ledger, moved: readonly EntryRow[], listings: readonly string[]): Ledger {
  const ids = new Set(moved.map(({ id }) => id));
  const lastVotes = Object.entries(account.lastVotes).filter(([listing]) => !listings.includes(listing));
  return {
    account: {
      ...account,
      credits: account.credits - moved.reduce((sum, { credits }) => sum + credits, 0),
      votes: account.votes - moved.filter(({ cause }) => isCountedVote(cause)).length,
      lastVotes: Object.fromEntries(lastVotes),
    },
    entries: entries.filter(({ id }) => !ids.has(id)),
  };
}
