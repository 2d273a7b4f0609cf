import { systemClock } from '@tallyhook/platform/clock';
import { DatabaseUnreleasedError } from '@tallyhook/platform/database/database-unreleased-error';
import { TallyhookError } from '@tallyhook/platform/errors';
import { openSnapshot, readDatabaseStatus, type Snapshot } from '../core/store/snapshots/snapshot.ts';
import { openStore, type Store } from '../features/store.ts';

/** The options of commands that change much: `--dry-run`, `--yes`, and `--json`. */
export interface BulkOptions {
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

/** Opens the database for one command, without a thread of its own. Throws what {@link openStore} throws. */
export async function withStore<Result>(
  url: string,
  use: (store: Store) => Promise<Result>,
  options: Parameters<typeof openStore>[2] = {},
): Promise<Result> {
  const store = await openStore(url, systemClock, { ...options, thread: false });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/**
 * Opens a snapshot of the ledger for one command.
 * @param options.older whether a database of an older version will do
 * @throws TallyhookError `no_ledger`, {@link DatabaseUnreleasedError}
 */
export async function withLedger<Result>(
  url: string,
  { older }: { readonly older: boolean },
  use: (snapshot: Snapshot) => Promise<Result>,
): Promise<Result> {
  const { state, ...status } = await readDatabaseStatus(url);
  if (state === 'older' && !older) throw olderDatabase();
  if (state === 'unreleased') throw new DatabaseUnreleasedError();
  if (state !== 'current' && state !== 'older') {
    const reason = 'reason' in status ? status.reason : state;
    throw new TallyhookError('no_ledger', `The ledger cannot be read: ${reason}.`, {
      hint: ('hint' in status && status.hint) || 'Check DATABASE_URL, or run `tallyhook doctor`.',
    });
  }
  const snapshot = await openSnapshot(url);
  try {
    return await use(snapshot);
  } finally {
    await snapshot.close();
  }
}

/** The database has to be upgraded first. */
export function olderDatabase(): TallyhookError {
  return new TallyhookError('no_ledger', 'The database has an older version.', {
    hint: 'Start tallyhook once to upgrade it. Make a backup first: `tallyhook backup FILE`.',
  });
}
