import { readDatabaseStatus } from '../core/store/snapshots/database-status.ts';
import { openSnapshot } from '../core/store/snapshots/open-snapshot.ts';
import type { Snapshot } from '../core/store/snapshots/snapshot.ts';
import { TallyhookError } from '../platform/errors.ts';

/**
 * Opens a snapshot of the ledger.
 * @param options.older whether a database of an older version will do
 * @throws TallyhookError `no_ledger`
 */
export async function openLedger(url: string, { older }: { readonly older: boolean }): Promise<Snapshot> {
  const status = await readDatabaseStatus(url);
  if (status.state === 'current' || (older && status.state === 'older')) return openSnapshot(url);
  if (status.state === 'older') {
    throw new TallyhookError('no_ledger', 'The database has an older version.', {
      hint: 'Start tallyhook once to upgrade it. Make a backup first: `tallyhook backup FILE`.',
    });
  }
  const reason = status.state === 'unreadable' ? status.reason : status.state;
  throw new TallyhookError('no_ledger', `The ledger cannot be read: ${reason}.`, {
    hint: 'Check DATABASE_URL, or run `tallyhook doctor`.',
  });
}
