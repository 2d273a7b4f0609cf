import { openDatabaseSnapshot } from '@tallyhook/platform/database/snapshots/open-snapshot';
import type { Tables } from '../tables.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Opens a snapshot of the bot's database. A missing file is not created. Throws what the driver throws.
 * @param url `sqlite:` followed by a path, or `postgres://…`
 */
export function openSnapshot<Own = unknown>(url: string): Promise<Snapshot<Own>> {
  return openDatabaseSnapshot<Tables & Own>(url);
}
