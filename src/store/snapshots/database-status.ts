import { statSync } from 'node:fs';
import { sql } from 'kysely';
import { messageOf } from '../../platform/errors.ts';
import { migrationNames } from '../migrations/index.ts';
import { openSnapshot, type Snapshot, sqlitePathOf } from './snapshot.ts';

/**
 * How a database stands to this program.
 * `absent`: there is none yet, or an empty one. `foreign`: somebody else's tables. `older` lacks migrations that the next start applies;
 * `newer` has some that this program does not know. `unreadable`: it cannot be opened, or is no database.
 */
export type DatabaseStatus =
  | { readonly state: 'absent' | 'foreign' | 'current' }
  | { readonly state: 'older'; readonly missing: readonly string[] }
  | { readonly state: 'newer'; readonly unknown: readonly string[] }
  | { readonly state: 'unreadable'; readonly reason: string };

/** Looks at a database without creating or migrating it. Never throws. */
export async function readDatabaseStatus(url: string): Promise<DatabaseStatus> {
  const path = sqlitePathOf(url);
  let snapshot: Snapshot | undefined;
  try {
    if (path !== null && isNothing(path)) return { state: 'absent' };
    snapshot = await openSnapshot(url);
    return await standing(snapshot, path === null);
  } catch (error) {
    return { state: 'unreadable', reason: messageOf(error) || String(error) };
  } finally {
    await snapshot?.close();
  }
}

function isNothing(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined || (found.isFile() && found.size === 0);
}

/** A database on a server may hold other programs' tables beside ours; a file is ours alone. */
async function standing(snapshot: Snapshot, isShared: boolean): Promise<DatabaseStatus> {
  const tables = await snapshot.tables();
  if (!tables.includes('kysely_migration')) return { state: tables.length === 0 || isShared ? 'absent' : 'foreign' };
  const rows = await snapshot.run<{ name: string }>(asked(snapshot));
  const applied = rows.map(({ name }) => name);
  if (!applied.includes(migrationNames[0] ?? '')) return { state: 'foreign' };
  const unknown = applied.filter((name) => !migrationNames.includes(name));
  if (unknown.length > 0) return { state: 'newer', unknown };
  const missing = migrationNames.filter((name) => !applied.includes(name));
  return missing.length > 0 ? { state: 'older', missing } : { state: 'current' };
}

/** The table is Kysely's own. */
function asked({ db }: Snapshot) {
  return { compile: () => sql<{ name: string }>`select name from kysely_migration order by name`.compile(db) };
}
