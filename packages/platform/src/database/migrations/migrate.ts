import { setImmediate } from 'node:timers/promises';
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
import { type Migration, stepsOf } from './migration.ts';
import { advance, nextTask, type Task } from './task.ts';

/** How long to wait for another process without getting the lock once. */
const lockTimeoutMs = 10 * minute;
const lockRetryMs = 50;

/** The state of an upgrade after a transaction. */
export interface MigrationProgress {
  /** Whether the database had data before, so that it is an upgrade and not the creation of its tables. */
  readonly isUpgrade: boolean;
  readonly migration: string;
  /** The numbers of completed steps of the migration and of all its steps. */
  readonly step: number;
  readonly steps: number;
  /** Rows of the current step; the total is null if the step does not process rows. */
  readonly rows: number;
  readonly total: number | null;
  /** Whether nothing is left to do. */
  readonly isComplete: boolean;
}

export interface RunMigrationsOptions {
  /** Called before the first and after each transaction. */
  readonly onProgress?: ((progress: MigrationProgress) => void) | undefined;
}

/**
 * Applies the missing migrations step by step, each step or chunk of rows together with its record in one transaction;
 * a new database, if possible, in a single one. May be interrupted at any time, and continues where it was. Several
 * processes may do this at once: a lock excludes them from each other for a transaction, and each transaction first
 * reads what is left to do. Throws what the driver throws, and without changing anything {@link DatabaseTooNewError},
 * {@link DatabaseUnreleasedError}, and TallyhookError `foreign_database` for one of another program.
 * @param all every migration by name, oldest first
 */
export async function runMigrations(
  database: MigratableDatabase,
  clock: Clock,
  all: Readonly<Record<string, Migration>>,
  { onProgress = () => {} }: RunMigrationsOptions = {},
): Promise<void> {
  const { reading, migrating } = database;
  const findTask = ({ unfinished, ...state }: MigrationState) => {
    const recorded = { ...state, unfinished: unfinished.map(({ name }) => name) };
    requireOwn(state.applied, Object.keys(all));
    const { missing, unknown } = compareMigrations(recorded, Object.keys(all));
    if (unknown.length > 0) throw new DatabaseTooNewError(unknown);
    return nextTask(missing, unfinished, all);
  };
  const before = await readMigrationState(database, reading);
  const first = findTask(before);
  if (first === null) return;
  const isUpgrade = before.applied.length > 0;
  const report = ({ name, migration, step, rows, total }: Task, isComplete = false) =>
    onProgress({ isUpgrade, migration: name, step, steps: stepsOf(migration).length, rows, total, isComplete });
  report(first);

  const transaction = createTransaction(database, clock);
  await transaction((db) => createMigrationTables(db));
  let last = first;
  for (;;) {
    const task = await transaction(async (db) => {
      let state = await readMigrationState(database, migrating, true);
      // Each commit waits for the disk, and there is nothing that could take long in a new database.
      const isNew = state.applied.length === 0 && database.createsTablesAtOnce;
      let done: Task | null = null;
      for (let next = findTask(state); next !== null; next = findTask(state)) {
        done = await advance(db, next, clock);
        if (!isNew) break;
        state = await readMigrationState(database, migrating, true);
      }
      return done;
    });
    if (task === null) break;
    last = task;
    report(task);
    // SQLite blocks the thread. Between two transactions it can handle signals.
    await setImmediate();
  }
  await migrating.release();
  report(last, true);
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
