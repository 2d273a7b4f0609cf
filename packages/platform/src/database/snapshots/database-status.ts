import { statSync } from 'node:fs';
import { sql } from 'kysely';
import { messageOf } from '../../errors.ts';
import { describeConnectionError } from '../connection-error.ts';
import { sqlitePathOf } from '../database-url.ts';
import { compareMigrations } from '../migrations/applied.ts';
import { unusableFileHint } from '../unusable-file.ts';
import { openDatabaseSnapshot } from './open-snapshot.ts';
import { type DatabaseProgram, ownerOf } from './program.ts';
import type { DatabaseSnapshot } from './snapshot.ts';

/**
 * Whose database it is, and of which version. `absent`: missing or empty. `foreign`: tables of another program; `owner`
 * is its name if it is one of this package, otherwise null. `unreleased`: of a development version from before 0.1.0.
 * `older`: lacks migrations, or one was interrupted; the next start applies them. `newer`: has migrations that this
 * version does not know, with which it cannot run. `unreadable`: cannot be opened, or is not a database; `hint` is the
 * way back from a damaged file.
 */
export type DatabaseStatus =
  | { readonly state: 'absent' | 'current' | 'unreleased' }
  | { readonly state: 'foreign'; readonly owner: string | null }
  | { readonly state: 'older'; readonly missing: readonly string[] }
  | { readonly state: 'newer'; readonly unknown: readonly string[] }
  | { readonly state: 'unreadable'; readonly reason: string; readonly hint?: string };

/** Reads the status of a program's database without creating or migrating it. Never throws. */
export async function statusOfDatabase(url: string, program: DatabaseProgram): Promise<DatabaseStatus> {
  const path = sqlitePathOf(url);
  let snapshot: DatabaseSnapshot<unknown> | undefined;
  try {
    if (path !== null && isMissingOrEmpty(path)) return { state: 'absent' };
    snapshot = await openDatabaseSnapshot(url);
    return await statusOf(snapshot, program.migrations, path === null);
  } catch (error) {
    const reason = path === null ? describeConnectionError(error, url) : messageOf(error) || String(error);
    const hint = path === null ? undefined : unusableFileHint(error, path);
    return { state: 'unreadable', reason, ...(hint !== undefined && { hint }) };
  } finally {
    await snapshot?.close();
  }
}

function isMissingOrEmpty(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined || (stats.isFile() && stats.size === 0);
}

/** @param isShared whether other programs may have tables in the database: on a server, unlike in a file */
async function statusOf(
  snapshot: DatabaseSnapshot<unknown>,
  known: readonly string[],
  isShared: boolean,
): Promise<DatabaseStatus> {
  const tables = await snapshot.tables();
  if (!tables.includes('kysely_migration')) {
    return tables.length === 0 || isShared ? { state: 'absent' } : { state: 'foreign', owner: null };
  }
  const applied = await namesIn(snapshot, 'kysely_migration');
  const owner = ownerOf(applied, known);
  if (owner.state !== 'own') return owner;
  const compatible = tables.includes('compatible_migrations') ? await namesIn(snapshot, 'compatible_migrations') : [];
  const { missing, unknown } = compareMigrations({ applied, compatible }, known);
  if (unknown.length > 0) return { state: 'newer', unknown };
  return missing.length > 0 ? { state: 'older', missing } : { state: 'current' };
}

/** The tables of migrations are not those of the program. */
async function namesIn({ db, run }: DatabaseSnapshot<unknown>, table: string): Promise<string[]> {
  const names = sql<{ name: string }>`select name from ${sql.table(table)} order by name`;
  return (await run({ compile: () => names.compile(db) })).map(({ name }) => name);
}
