import { sql } from 'kysely';
import { type AccountId, type CommunityId, partsOf } from '../../ledger/account.ts';
import type { Entry } from '../../ledger/entry.ts';
import { readCommunities } from '../communities/store.ts';
import { accessTo, type Snapshot } from './snapshot.ts';

/** An entry with its id. */
export interface NumberedEntry extends Omit<Entry, 'untimed' | 'achievement' | 'accountId'> {
  readonly id: number;
  /** The guild of the account's community; null if it is not known. */
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
  snapshot: Snapshot,
  { userId, since }: EntrySelection,
): AsyncGenerator<readonly NumberedEntry[], void, undefined> {
  const { db, run } = snapshot;
  const guilds = new Map((await readCommunities(accessTo(snapshot))).map(({ id, guildId }) => [id, guildId]));
  let lastId = 0;
  while (true) {
    let page = db
      .selectFrom('entries')
      .select(['id', 'account_id', 'listing', 'credits', 'cause', 'reason', 'at', 'delivery_id as deliveryId'])
      .where('id', '>', lastId)
      .orderBy('id')
      .limit(pageSize);
    if (userId !== null) page = page.where(sql<boolean>`account_id like ${`%:${userId}`}`);
    if (since !== null) page = page.where('at', '>=', since);
    const entries = await run(page);
    if (entries.length > 0) yield entries.map((entry) => toNumberedEntry(entry, guilds));
    const last = entries.at(-1);
    if (last === undefined || entries.length < pageSize) return;
    lastId = last.id;
  }
}

function toNumberedEntry(
  { id, account_id, ...entry }: Omit<NumberedEntry, 'guildId' | 'userId'> & { readonly account_id: AccountId },
  guilds: ReadonlyMap<CommunityId, string | null>,
): NumberedEntry {
  const { communityId, userId } = partsOf(account_id);
  return { id, guildId: guilds.get(communityId) ?? null, userId, ...entry };
}
