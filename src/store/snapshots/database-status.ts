import { statSync } from 'node:fs';
import { sql } from 'kysely';
import { sqlitePathOf } from '../../database/dialect.ts';
import { compareMigrations, type MigrationTables } from '../../database/migrations/applied.ts';
import { messageOf } from '../../platform/errors.ts';
import { migrationNames } from '../migrations/index.ts';
import { openSnapshot } from './open-snapshot.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Whose database it is, and of which version.
 * `absent`: missing or empty. `foreign`: tables of another program. `older`: lacks migrations, or one was
 * interrupted; the next start applies them. `newer`: has migrations that this version does not know, with which it cannot
 * run. `unreadable`: cannot be opened, or is not a database.
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
  const applied = await namesIn(snapshot, 'kysely_migration');
  if (!applied.includes(migrationNames[0] ?? '')) return { state: 'foreign' };
  const unfinished = tables.includes('migration_progress') ? await namesIn(snapshot, 'migration_progress') : [];
  const compatible = tables.includes('compatible_migrations') ? await namesIn(snapshot, 'compatible_migrations') : [];
  const { missing, unknown } = compareMigrations({ applied, unfinished, compatible }, migrationNames);
  if (unknown.length > 0) return { state: 'newer', unknown };
  return missing.length > 0 ? { state: 'older', missing } : { state: 'current' };
}

/** The tables of migrations are not those of {@link Snapshot.db}. */
async function namesIn({ db, run }: Snapshot, table: keyof MigrationTables): Promise<string[]> {
  const names = sql<{ name: string }>`select name from ${sql.table(table)} order by name`;
  return (await run({ compile: () => names.compile(db) })).map(({ name }) => name);
}
