import type { Entry } from '../../ledger/entry.ts';
import type { Snapshot } from './snapshot.ts';

/** An entry with its id. */
export interface NumberedEntry extends Omit<Entry, 'untimed' | 'achievement'> {
  readonly id: number;
}

/** Which entries to read; null means all. */
export interface EntrySelection {
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
      .select(['id', 'user_id as userId', 'listing', 'credits', 'cause', 'reason', 'at', 'delivery_id as deliveryId'])
      .where('id', '>', lastId)
      .orderBy('id')
      .limit(pageSize);
    if (userId !== null) page = page.where('user_id', '=', userId);
    if (since !== null) page = page.where('at', '>=', since);
    const entries = await run(page);
    if (entries.length > 0) yield entries;
    const last = entries.at(-1);
    if (last === undefined || entries.length < pageSize) return;
    lastId = last.id;
  }
}
