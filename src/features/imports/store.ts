import { sql as kyselySql, sql } from 'kysely';
import { type AccountId, accountIdOf, lastVoteIn, partsOf, withVote } from '../../core/ledger/account.ts';
import { correctionEntry } from '../../core/ledger/correction.ts';
import { countedVoteCauses, type Entry, isCountedVote } from '../../core/ledger/entry.ts';
import { addToScores } from '../../core/rewards/calendar.ts';
import { minVoteGapMs } from '../../core/rewards/reward.ts';
import { addPastVote } from '../../core/rewards/streak.ts';
import {
  accountColumns,
  accountRow,
  type BalanceRow,
  linkedEntries,
  toAccountState,
} from '../../core/store/account-columns.ts';
import { appendEntry, lockAccount, releaseAccount } from '../../core/store/accounts.ts';
import { literal, lock, run } from '../../core/store/query-builder.ts';
import { toOutage } from '../../core/store/recording/queries.ts';
import type { Sql } from '../../core/store/sql-module.ts';
import { entriesOf, idsAtOnce, recount, reversedReason, uncountVotes } from '../../core/store/uncounted-votes.ts';
import { type AccountState, emptyAccount, withEntry } from '../../core/tally/account-state.ts';
import { calendarOf, namesOfTarget, outageDaysOf } from '../../core/tally/community.ts';
import {
  addVoteKeys,
  balanceKey,
  type ImportDescription,
  type ImportItem,
  type ImportState,
  type ImportTarget,
  type ItemOutcome,
  removeVoteKeys,
  type UndoneMember,
} from './items.ts';

/** An import as it was recorded. Times are ms since the epoch. */
export type StoredImport = Awaited<ReturnType<(typeof reads)['list']>>[number];

/* Entries of other programs. `now` in ms since the epoch. */

export const reads = {
  async list({ db, connection }: Sql) {
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

  /** Takes back what an import credited, as far as the member still has it. Null if another process has done it. */
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

/** Inserts the first entry of each account, then the second ones, and so on: each has the id of the one before. */
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

async function readImportState(
  { db, connection }: Sql,
  target: ImportTarget,
  items: readonly ImportItem[],
  accounts: ReadonlyMap<AccountId, AccountState>,
): Promise<DecisionState> {
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

interface StoredVote {
  readonly listing: string | null;
  readonly at: number;
}

interface DecisionState {
  /** Missing accounts are empty. */
  readonly accounts: ReadonlyMap<AccountId, AccountState>;
  /** Credits of items that were imported before, by {@link itemId}. */
  readonly imported: ReadonlyMap<string, number>;
  /** All counted votes of the accounts for which {@link needsVotes}. */
  readonly votes: ReadonlyMap<AccountId, readonly StoredVote[]>;
  /** Days on which receiving was down (day numbers). */
  readonly outageDays: ReadonlySet<number>;
}

interface ImportDecision {
  readonly outcomes: readonly ItemOutcome[];
  /** The accounts that change, without the entries, which {@link entries} has in their order. */
  readonly accounts: ReadonlyMap<AccountId, AccountState>;
  readonly entries: readonly { readonly entry: Entry; readonly item: ImportItem }[];
}

function itemId(accountId: string, key: string): string {
  return `${accountId} ${key}`;
}

/** Checks whether an item may be too close to an earlier vote than the last one of its account. */
function needsVotes(account: AccountState, items: readonly ImportItem[], { listings }: ImportTarget): boolean {
  return items.some(({ vote }) => {
    if (vote === null || vote.isTotal) return false;
    const last = lastVoteIn(account.lastVotes, namesOf(vote.listing, listings));
    return last !== null && vote.at < last + gapOf(vote.listing, listings);
  });
}

/**
 * Decides what items credit. Imported votes earn nothing but what the file says, and have no effects: no announcement,
 * no role, no party. Complete steps of streaks count as paid.
 */
function decideImport(
  target: ImportTarget,
  items: readonly ImportItem[],
  state: DecisionState,
  now: number,
): ImportDecision {
  const accounts = new Map<AccountId, AccountState>();
  const imported = new Map(state.imported);
  const added = new Map<AccountId, StoredVote[]>();
  const entries: { entry: Entry; item: ImportItem }[] = [];

  function outcomeOf(item: ImportItem): ItemOutcome {
    const accountId = accountIdOf(target.communityId, item.userId);
    const account = accounts.get(accountId) ?? state.accounts.get(accountId) ?? emptyAccount(accountId);
    const id = itemId(accountId, item.key);
    const before = imported.get(id);
    if (before !== undefined) {
      return before === item.credits ? { outcome: 'imported' } : { outcome: 'different', credits: before };
    }
    const votes = added.get(accountId) ?? [];
    if (item.vote !== null && isTooClose(item.vote, account, [...(state.votes.get(accountId) ?? []), ...votes])) {
      return { outcome: 'within_cooldown' };
    }
    imported.set(id, item.credits);
    entries.push({ entry: entryOf(target, item, now), item });
    accounts.set(accountId, withItem(account, item));
    if (item.vote !== null) added.set(accountId, [...votes, item.vote]);
    return { outcome: 'credited' };
  }

  function isTooClose(
    { listing, at, isTotal }: NonNullable<ImportItem['vote']>,
    account: AccountState,
    votes: readonly StoredVote[],
  ): boolean {
    if (isTotal) return false;
    const gapMs = gapOf(listing, target.listings);
    const names = namesOf(listing, target.listings);
    const last = lastVoteIn(account.lastVotes, names);
    if (last === null || last <= at - gapMs) return false;
    return votes.some((vote) => names.includes(vote.listing ?? '') && Math.abs(vote.at - at) < gapMs);
  }

  /** The account with the vote in its history and scores. The entry itself is added when it is written. */
  function withItem(account: AccountState, { credits, vote }: ImportItem): AccountState {
    const listing = target.listings.find(({ name }) => name === vote?.listing);
    if (vote === null || listing === undefined) return account;
    const lastVotes = withVote(account.lastVotes, vote.listing, vote.at);
    const day = calendarOf(listing.community).dayAt(vote.at);
    const { history, scores } = account;
    const past = { listing: vote.listing, day };
    return {
      ...account,
      lastVotes,
      history: addPastVote(history, past, listing.rewards.streak, state.outageDays),
      scores: addToScores(scores, day, 1, credits),
    };
  }

  return { outcomes: items.map(outcomeOf), accounts, entries };
}

function entryOf({ communityId, reason }: ImportTarget, { userId, credits, vote }: ImportItem, now: number): Entry {
  return {
    accountId: accountIdOf(communityId, userId),
    listing: vote?.listing ?? null,
    credits,
    cause: vote === null ? 'correction' : 'vote',
    reason,
    at: vote?.at ?? now,
    deliveryId: null,
    untimed: false,
    achievement: null,
  };
}

function namesOf(name: string, listings: ImportTarget['listings']): readonly string[] {
  const listing = listings.find((each) => each.name === name);
  return listing === undefined ? [name] : namesOfTarget(listing.community, name);
}

function gapOf(name: string, listings: ImportTarget['listings']): number {
  const listing = listings.find((each) => each.name === name);
  return listing === undefined ? 0 : minVoteGapMs(listing.rewards.base);
}

/** The reason of votes that were imported and are not counted any more. */
const undoneReason = 'import undone';

/** Brings the history of an account up to date with votes that were imported. `now` in ms since the epoch. */
async function recountAccount(
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
async function undoMember(
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
