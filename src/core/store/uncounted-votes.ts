import type { Selectable } from 'kysely';
import { isCountedVote } from '../ledger/entry.ts';
import { formatPeriod } from '../rewards/calendar.ts';
import { isUnreachedMilestone } from '../rewards/milestones.ts';
import type { AccountState } from '../tally/account-state.ts';
import { calendarOf } from '../tally/community.ts';
import type { ListingContext } from '../tally/listing-context.ts';
import { recountVotes } from '../tally/replay-listings.ts';
import { accountRow, linkedEntries } from './account-columns.ts';
import { run } from './query-builder.ts';
import { toOutage } from './recording/queries.ts';
import type { Sql } from './sql-module.ts';
import type { Tables } from './tables.ts';

/* Entries of a locked account that count as votes no longer. */

export type EntryRow = Pick<
  Selectable<Tables['entries']>,
  'id' | 'listing' | 'cause' | 'credits' | 'at' | 'achievement' | 'reason'
>;

/** The context of a recount. `now` in ms since the epoch. */
interface Recount {
  /** The listings of the community. */
  readonly listings: readonly ListingContext[];
  readonly now: number;
}

/** Ids per statement. */
export const idsAtOnce = 500;

/** All entries of an account. */
export async function entriesOf({ db, connection }: Sql, { lastEntry }: AccountState): Promise<readonly EntryRow[]> {
  const linked = linkedEntries(db, lastEntry).selectFrom('linked');
  return run(connection, linked.select(['id', 'listing', 'cause', 'credits', 'at', 'achievement', 'reason']));
}

/** Sets the same columns of many entries. */
export async function updateEntries(
  { db, connection }: Sql,
  ids: readonly number[],
  columns: Partial<Pick<EntryRow, 'cause' | 'reason' | 'achievement'>>,
): Promise<void> {
  for (let start = 0; start < ids.length; start += idsAtOnce) {
    const update = db.updateTable('entries').set(columns);
    await run(connection, update.where('id', 'in', ids.slice(start, start + idsAtOnce)));
  }
}

/** The reason of reversed votes, and of what they have earned. Stored in the entries, so it is never translated. */
export const reversedReason = 'reversed';

/**
 * The entries of milestones that are not reached without some votes.
 * @param entries all of the account
 * @param votes counted votes of the account without those with `ids`
 * @param context.listings of the community
 */
export function unreachedMilestones(
  entries: readonly EntryRow[],
  votes: number,
  { ids, listings }: { readonly ids: ReadonlySet<number>; readonly listings: readonly ListingContext[] },
): readonly EntryRow[] {
  const calendar = calendarOf(listings[0]?.community ?? { timeZone: 'UTC' });
  const votesIn = new Map<string, number>();
  for (const { id, cause, at } of entries) {
    if (!isCountedVote(cause) || ids.has(id)) continue;
    for (const per of ['week', 'month'] as const) {
      const period = formatPeriod(per, calendar.dayAt(at));
      votesIn.set(period, (votesIn.get(period) ?? 0) + 1);
    }
  }
  return entries.filter(({ achievement }) =>
    isUnreachedMilestone(achievement, votes, (period) => votesIn.get(period) ?? 0),
  );
}

/**
 * Makes counted votes uncounted ones with this reason, and milestones that are not reached any more such that can be
 * reached again.
 * @param entries all of the account, of which those with `ids` are counted votes
 * @returns the entries as they are now
 */
export async function uncountVotes(
  sql: Sql,
  account: AccountState,
  {
    entries,
    ids,
    reason,
  }: { readonly entries: readonly EntryRow[]; readonly ids: ReadonlySet<number>; readonly reason: string },
  context: Recount,
): Promise<readonly EntryRow[]> {
  const votes = account.votes - ids.size;
  const unreached = unreachedMilestones(entries, votes, { ids, listings: context.listings }).map(({ id }) => id);
  await updateEntries(sql, [...ids], { cause: 'within_cooldown', reason });
  await updateEntries(sql, unreached, { achievement: null });
  const rest = entries.map((entry): EntryRow => {
    const uncounted = ids.has(entry.id) ? ({ ...entry, cause: 'within_cooldown', reason } as const) : entry;
    return unreached.includes(entry.id) ? { ...uncounted, achievement: null } : uncounted;
  });
  await recount(sql, { ...account, votes }, rest, context);
  return rest;
}

/** Last votes, history, scores and streak, from the entries alone. */
export async function recount(
  { db, connection }: Sql,
  account: AccountState,
  entries: readonly EntryRow[],
  { listings, now }: Recount,
): Promise<void> {
  const outages = await run(connection, db.selectFrom('outages').selectAll().orderBy('from_at'));
  const recounted = recountVotes(account, entries, { listings, outages: outages.map(toOutage), now });
  await run(connection, db.updateTable('balances').set(accountRow(recounted)).where('account_id', '=', account.id));
}
