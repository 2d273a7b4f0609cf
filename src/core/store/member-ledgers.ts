import type { Family } from '../../webhook/event.ts';
import { type AccountId, type CommunityId, memberOf } from '../ledger/account.ts';
import type { Entry } from '../ledger/entry.ts';
import { accountsIn, linkedEntries, parseRoles } from './account-columns.ts';
import { run, type SqlAccess } from './query-builder.ts';

/** An entry of a member, with the delivery that caused it. */
export interface MemberEntry extends Pick<Entry, 'listing' | 'credits' | 'cause' | 'at'> {
  /** Body of the delivery; null if there is none. */
  readonly body: string | null;
  readonly family: Family | null;
}

/** Everything that the ledger has of a member in a community. */
interface MemberLedger {
  readonly userId: string;
  /** The roles last seen (Discord IDs). */
  readonly roles: readonly string[];
  /** In no particular order. */
  readonly entries: readonly MemberEntry[];
}

/** Accounts that are read at once: about 1 ms, in which SQLite blocks this thread. */
const accountsPerPage = 500;

/** An account with entries, and how many there are. */
export interface AccountSize {
  readonly account_id: AccountId;
  readonly roles: string | null;
  readonly last_entry: number | null;
  readonly entries: number;
  readonly votes: number;
  /** The newest month with a score: its first day (day number). */
  readonly month_start: number;
}

/** The accounts of a community that have entries, in the order of their ids. */
export async function* accountPages(
  access: SqlAccess,
  communityId: CommunityId,
): AsyncGenerator<readonly AccountSize[], void, undefined> {
  const { db, connection } = access;
  const columns = ['account_id', 'roles', 'last_entry', 'entries', 'votes', 'month_start'] as const;
  const ofAccounts = db.selectFrom('balances').select(columns).where('last_entry', 'is not', null);
  for (let after: AccountId | null | undefined = null; after !== undefined; ) {
    const query = accountsIn(ofAccounts, communityId, after).limit(accountsPerPage);
    const page: readonly AccountSize[] = await run(connection, query);
    if (page.length > 0) yield page;
    after = page.length < accountsPerPage ? undefined : page.at(-1)?.account_id;
  }
}

/** The ledgers of these accounts, in their order. @param atOnce about how many entries one statement reads */
export async function* readLedgers(
  { db, connection }: SqlAccess,
  accounts: readonly AccountSize[],
  atOnce: number,
): AsyncGenerator<MemberLedger, void, undefined> {
  for (const chunk of divide(accounts, atOnce)) {
    const newest = chunk.flatMap(({ last_entry }) => last_entry ?? []);
    const rows = await run(
      connection,
      linkedEntries(db, newest)
        .selectFrom('linked')
        .leftJoin('deliveries', 'deliveries.id', 'linked.delivery_id')
        .select(['linked.account_id', 'linked.listing', 'linked.credits', 'linked.cause', 'linked.at'])
        .select(['deliveries.body', 'deliveries.family']),
    );
    const byAccount = Map.groupBy(rows, ({ account_id }) => account_id);
    for (const { account_id, roles } of chunk) {
      const entries = byAccount.get(account_id) ?? [];
      yield { userId: memberOf(account_id), roles: roles === null ? [] : parseRoles(roles), entries };
    }
  }
}

/** Chunks of about the same number of entries. */
function* divide(accounts: readonly AccountSize[], atOnce: number): Generator<readonly AccountSize[]> {
  let chunk: AccountSize[] = [];
  let entries = 0;
  for (const account of accounts) {
    chunk.push(account);
    entries += account.entries;
    if (entries < atOnce) continue;
    yield chunk;
    chunk = [];
    entries = 0;
  }
  if (chunk.length > 0) yield chunk;
}
