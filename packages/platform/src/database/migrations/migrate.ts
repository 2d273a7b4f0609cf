import type { Kysely } from 'kysely';
import type { Clock } from '../../clock.ts';
import { minute } from '../../durations.ts';
import { TallyhookError } from '../../errors.ts';
import { DatabaseTooNewError } from '../database-too-new-error.ts';
import { DatabaseUnreleasedError } from '../database-unreleased-error.ts';
import type { MigratableDatabase } from '../dialect.ts';
import { kyselyOn } from '../kysely-on.ts';
import { ownerOf } from '../snapshots/program.ts';
import {
  compareMigrations,
  createMigrationTables,
  type MigrationState,
  type MigrationTables,
  readMigrationState,
} from './applied.ts';

/** How long to wait for another process without getting the lock once. */
const lockTimeoutMs = 10 * minute;
const lockRetryMs = 50;

/** A change of the schema. */
export interface Migration {
  /**
   * Changes the schema, in a transaction with the record that it is applied. It must tolerate its own result: an engine
   * that commits before each change of the schema may have executed it without recording it.
   */
  readonly up: (db: Kysely<unknown>) => Promise<void>;
  /**
   * True if the versions before this migration may run on the database during and after it, because it only adds what
   * they do not need: tables, indexes, and columns that are nullable or have a default. Such versions do not know what
   * it stores, so it must not give a new meaning to what they read. Default false.
   */
  readonly compatible?: boolean;
}

/** Called before each migration of a database that had tables before. */
export type OnUpgrade = (migration: string) => void;

/**
 * Applies the missing migrations, each in a transaction with its record, so they may be interrupted at any time. Several
 * processes may do this at once: a lock excludes them from each other for a transaction, and each transaction first
 * reads what is left to do. Returns whether the database was new. Throws what the driver throws, and without changing
 * anything {@link DatabaseTooNewError}, {@link DatabaseUnreleasedError}, and TallyhookError `foreign_database` for one of
 * another program.
 * @param all every migration by name, oldest first
 */
export async function runMigrations(
  database: MigratableDatabase,
  clock: Clock,
  all: Readonly<Record<string, Migration>>,
  onUpgrade: OnUpgrade = () => {},
): Promise<boolean> {
  const { reading, migrating } = database;
  const findNext = (state: MigrationState): string | undefined => {
    requireOwn(state.applied, Object.keys(all));
    const { missing, unknown } = compareMigrations(state, Object.keys(all));
    if (unknown.length > 0) throw new DatabaseTooNewError(unknown);
    return missing[0];
  };
  const before = await readMigrationState(database, reading);
  if (findNext(before) === undefined) return false;
  const isNew = before.applied.length === 0;

  const transaction = createTransaction(database, clock);
  await transaction((db) => createMigrationTables(db));
  const applyNext = () =>
    transaction(async (db) => {
      const name = findNext(await readMigrationState(database, migrating, true));
      const migration = name === undefined ? undefined : all[name];
      if (name === undefined || migration === undefined) return false;
      if (!isNew) onUpgrade(name);
      await migration.up(db as Kysely<unknown>);
      await recordMigration(db, name, migration, clock);
      return true;
    });
  while (await applyNext());
  await migrating.release();
  return isNew;
}

async function recordMigration(db: Kysely<MigrationTables>, name: string, { compatible }: Migration, clock: Clock) {
  const timestamp = new Date(clock.now()).toISOString();
  await db
    .insertInto('kysely_migration')
    .values({ name, timestamp })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  if (compatible !== true) return;
  await db
    .insertInto('compatible_migrations')
    .values({ name })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Throws unless the database is empty, or has the tables of this program. */
function requireOwn(applied: readonly string[], known: readonly string[]): void {
  const found = applied.length === 0 ? null : ownerOf(applied, known);
  if (found?.state === 'unreleased') throw new DatabaseUnreleasedError();
  if (found?.state !== 'foreign') return;
  throw new TallyhookError('foreign_database', `The database belongs to ${found.owner ?? 'another program'}.`, {
    hint: 'The bot and the listing service each need a database of their own, which may be on the same server.',
  });
}

/** Returns a function that runs an action in a transaction under the lock, and waits for the lock if necessary. */
function createTransaction(database: MigratableDatabase, clock: Clock) {
  const { migrating } = database;
  const db = kyselyOn<MigrationTables>(database, migrating);
  return async <Result>(action: (db: Kysely<MigrationTables>) => Promise<Result>): Promise<Result> => {
    const deadline = clock.monotonic() + lockTimeoutMs;
    for (;;) {
      try {
        await migrating.begin();
        const result = await action(db);
        await migrating.commit();
        return result;
      } catch (error) {
        await migrating.rollback().catch(() => {});
        if (!database.isBusy(error) || clock.monotonic() > deadline) throw error;
        await clock.sleep(lockRetryMs);
      }
    }
  };
}
