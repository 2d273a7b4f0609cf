import type { Entry } from '../../ledger/entry.ts';
import type { Snapshot } from './snapshot.ts';

/** An entry and its number: later entries have higher ones. */
export interface NumberedEntry extends Entry {
  readonly id: number;
}

/** What of the ledger is wanted; null is no limit. */
export interface EntrySelection {
  readonly userId: string | null;
  /** Entries of events from this moment on (ms since the epoch). */
  readonly since: number | null;
}

const pageSize = 2_000;

/** The entries in the order of their ids, a page at a time, so that a ledger of any length takes the same memory. */
export async function* entryPages(
  { db, run }: Snapshot,
  { userId, since }: EntrySelection,
): AsyncGenerator<readonly NumberedEntry[], void, undefined> {
  let after = 0;
  while (true) {
    let page = db
      .selectFrom('entries')
      .select(['id', 'user_id as userId', 'listing', 'credits', 'cause', 'reason', 'at', 'delivery_id as deliveryId'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(pageSize);
    if (userId !== null) page = page.where('user_id', '=', userId);
    if (since !== null) page = page.where('at', '>=', since);
    const entries = await run(page);
    if (entries.length > 0) yield entries;
    const last = entries.at(-1);
    if (last === undefined || entries.length < pageSize) return;
    after = last.id;
  }
}
