import { homeAccounts, partsOf } from '../../ledger/account.ts';
import type { Entry } from '../../ledger/entry.ts';
import { accountOf } from '../account-columns.ts';
import type { Snapshot } from './snapshot.ts';

/** An entry with its id. */
export interface NumberedEntry extends Omit<Entry, 'untimed' | 'achievement' | 'accountId'> {
  readonly id: number;
  /** The guild in which the account is; null for the home community. */
  readonly guildId: string | null;
  readonly userId: string;
}

/** Which entries to read; null means all. */
export interface EntrySelection {
  /** In all communities. */
  readonly userId: string | null;
  /** Only events at or after this time (ms since the epoch). */
  readonly since: number | null;
}

const pageSize = 2_000;

/** The entries by id, in pages, so that memory use does not depend on the size of the ledger. */
export async function* entryPages(
  { db, run }: Snapshot,
  { userId, since }: EntrySelection,
): AsyncGenerator<readonly NumberedEntry[], void, undefined> {
  let lastId = 0;
  while (true) {
    let page = db
      .selectFrom('entries')
      .select(['id', 'user_id', 'listing', 'credits', 'cause', 'reason', 'at', 'delivery_id as deliveryId'])
      .where('id', '>', lastId)
      .orderBy('id')
      .limit(pageSize);
    if (userId !== null) {
      page = page.where(({ eb, or }) => or([eb('user_id', '=', userId), eb('user_id', 'like', `%:${userId}`)]));
    }
    if (since !== null) page = page.where('at', '>=', since);
    const entries = await run(page);
    if (entries.length > 0) yield entries.map(toNumberedEntry);
    const last = entries.at(-1);
    if (last === undefined || entries.length < pageSize) return;
    lastId = last.id;
  }
}

function toNumberedEntry({
  id,
  user_id,
  ...entry
}: Omit<NumberedEntry, 'guildId' | 'userId'> & { readonly user_id: string }): NumberedEntry {
  const { accounts, userId } = partsOf(accountOf({ user_id }));
  return { id, guildId: accounts === homeAccounts ? null : accounts, userId, ...entry };
}
