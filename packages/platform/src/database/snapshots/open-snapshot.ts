import { sqlitePathOf } from '../database-url.ts';
import type { DatabaseSnapshot } from './snapshot.ts';

/**
 * Opens a snapshot. A missing file is not created. Throws what the driver throws.
 * @param url `sqlite:` followed by a path, or `postgres://…`
 */
export async function openDatabaseSnapshot<Tables>(url: string): Promise<DatabaseSnapshot<Tables>> {
  const path = sqlitePathOf(url);
  // Each driver is loaded only if it is used.
  if (path !== null) return (await import('./sqlite-snapshot.ts')).sqliteSnapshot(path);
  return (await import('./postgres-snapshot.ts')).postgresSnapshot(url);
}
