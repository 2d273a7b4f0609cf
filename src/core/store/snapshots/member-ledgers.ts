import type { Family } from '../../../webhook/event.ts';
import { type AccountScope, memberOf } from '../../ledger/account-id.ts';
import type { Cause } from '../../ledger/entry.ts';
import { accountOf } from '../account-columns.ts';
import { parseRoles } from '../json-columns.ts';
import { linkedEntries } from '../linked-entries.ts';
import { inRange } from '../standings/account-ranges.ts';
import type { Snapshot } from './snapshot.ts';

/** An entry of a member, with the delivery that caused it. */
export interface MemberEntry {
  readonly listing: string | null;
  readonly credits: number;
  readonly cause: Cause;
  readonly reason: string | null;
  /** Ms since the epoch. */
  readonly at: number;
  readonly achievement: string | null;
  /** Body of the delivery; null if there is none. */
  readonly body: string | null;
  readonly family: Family | null;
}

/** Everything that the ledger has of a member in a community. */
export interface MemberLedger {
  readonly userId: string;
  /** The roles last seen (Discord IDs). */
  readonly roles: readonly string[];
  /** In no particular order. */
  readonly entries: readonly MemberEntry[];
}

/** Members whose balances are read at once, and about how many entries follow at once. */
const membersPerPage = 500;
const entriesPerPage = 10_000;

/** The number of members of a community with entries. */
export async function countMembers({ db, run }: Snapshot, accounts: AccountScope): Promise<number> {
  const count = db.selectFrom('balances').select(({ fn }) => fn.countAll<number>().as('count'));
  const ofCommunity = count.where('guild_id', '=', accounts);
  return (await run(ofCommunity.where('last_entry', 'is not', null)))[0]?.count ?? 0;
}

/**
 * All members of a community with their entries, in the order of their ids. Memory depends on the member with the most
 * entries, not on the size of the ledger.
 */
export async function* memberLedgers(
  { db, run }: Snapshot,
  accounts: AccountScope,
): AsyncGenerator<MemberLedger, void, undefined> {
  let after = '';
  while (true) {
    const balances = await run(
      inRange(db.selectFrom('balances').select(['user_id', 'roles', 'last_entry', 'entries', 'votes']), accounts, {
        after,
        before: null,
      })
        .where('last_entry', 'is not', null)
        .limit(membersPerPage),
    );
    for (const chunk of divide(balances)) yield* readLedgers(chunk);
    const last = balances.at(-1);
    if (last === undefined || balances.length < membersPerPage) return;
    after = last.user_id;
  }

  async function* readLedgers(balances: readonly Balance[]) {
    const newest = balances.flatMap(({ last_entry }) => last_entry ?? []);
    const rows = await run(
      linkedEntries(db, newest)
        .selectFrom('linked')
        .leftJoin('deliveries', 'deliveries.id', 'linked.delivery_id')
        .select(['linked.user_id', 'linked.listing', 'linked.credits', 'linked.cause', 'linked.reason', 'linked.at'])
        .select(['linked.achievement', 'deliveries.body', 'deliveries.family']),
    );
    const byUser = Map.groupBy(rows, ({ user_id }) => user_id);
    for (const { user_id, roles } of balances) {
      const entries = byUser.get(user_id) ?? [];
      yield { userId: memberOf(accountOf({ user_id })), roles: roles === null ? [] : parseRoles(roles), entries };
    }
  }
}

interface Balance {
  readonly user_id: string;
  readonly roles: string | null;
  readonly last_entry: number | null;
  readonly entries: number;
  readonly votes: number;
}

/** Chunks of about the same number of entries. Entries from before they were numbered are not counted, but votes are. */
function* divide(balances: readonly Balance[]): Generator<readonly Balance[]> {
  let chunk: Balance[] = [];
  let entries = 0;
  for (const balance of balances) {
    chunk.push(balance);
    entries += Math.max(balance.entries, balance.votes);
    if (entries < entriesPerPage) continue;
    yield chunk;
    chunk = [];
    entries = 0;
  }
  if (chunk.length > 0) yield chunk;
}
