import { statSync } from 'node:fs';
import { sql } from 'kysely';
import { messageOf } from '../../platform/errors.ts';
import { sqlitePathOf } from '../dialect/dialect.ts';
import { migrationNames } from '../migrations/index.ts';
import { openSnapshot } from './open-snapshot.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Whose database it is, and of which version.
 * `absent`: missing or empty. `foreign`: tables of another program. `older`: lacks migrations, which the next start
 * applies. `newer`: has migrations that this version does not know. `unreadable`: cannot be opened, or is not a
 * database.
 */
export type DatabaseStatus =
  | { readonly state: 'absent' | 'foreign' | 'current' }
  | { readonly state: 'older'; readonly missing: readonly string[] }
  | { readonly state: 'newer'; readonly unknown: readonly string[] }
  | { readonly state: 'unreadable'; readonly reason: string };

/** Reads the status of a database without creating or migrating it. Never throws. */
export async function readDatabaseStatus(url: string): Promise<DatabaseStatus> {
  const path = sqlitePathOf(url);
  let snapshot: Snapshot | undefined;
  try {
    if (path !== null && isMissingOrEmpty(path)) return { state: 'absent' };
    snapshot = await openSnapshot(url);
    return await statusOf(snapshot, path === null);
  } catch (error) {
    return { state: 'unreadable', reason: messageOf(error) || String(error) };
  } finally {
    await snapshot?.close();
  }
}

function isMissingOrEmpty(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined || (stats.isFile() && stats.size === 0);
}

/** @param isShared whether other programs may have tables in the database: on a server, unlike in a file */
async function statusOf(snapshot: Snapshot, isShared: boolean): Promise<DatabaseStatus> {
  const tables = await snapshot.tables();
  if (!tables.includes('kysely_migration')) return { state: tables.length === 0 || isShared ? 'absent' : 'foreign' };
  const rows = await snapshot.run(appliedMigrations(snapshot));
  const appliedNames = rows.map(({ name }) => name);
  if (!appliedNames.includes(migrationNames[0] ?? '')) return { state: 'foreign' };
  const unknown = appliedNames.filter((name) => !migrationNames.includes(name));
  if (unknown.length > 0) return { state: 'newer', unknown };
  const missing = migrationNames.filter((name) => !appliedNames.includes(name));
  return missing.length > 0 ? { state: 'older', missing } : { state: 'current' };
}

/** The table is in Kysely's format, and not one of {@link Snapshot.db}. */
function appliedMigrations({ db }: Snapshot) {
  return { compile: () => sql<{ name: string }>`select name from kysely_migration order by name`.compile(db) };
}
