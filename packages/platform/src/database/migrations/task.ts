import type { ExpressionBuilder, Kysely } from 'kysely';
import type { Clock } from '../../clock.ts';
import type { MigrationProgressRow, MigrationTables } from './applied.ts';
import { type Migration, stepsOf } from './migration.ts';

/** The migration to continue with, and how much of it is done. */
export interface Task {
  readonly name: string;
  readonly migration: Migration;
  /** Whether an earlier transaction has recorded its start. */
  readonly isStarted: boolean;
  readonly step: number;
  readonly cursor: string | null;
  readonly rows: number;
  readonly total: number | null;
}

/** The first of the missing migrations, from where it was interrupted. Null if none is missing. */
export function nextTask(
  [name]: readonly string[],
  unfinished: readonly MigrationProgressRow[],
  all: Readonly<Record<string, Migration>>,
): Task | null {
  const migration = name === undefined ? undefined : all[name];
  if (name === undefined || migration === undefined) return null;
  const progress = unfinished.find((row) => row.name === name);
  if (progress === undefined) {
    return { name, migration, isStarted: false, step: 0, cursor: null, rows: 0, total: null };
  }
  const { step, cursor, rows_done: rows, rows_total: total } = progress;
  return { name, migration, isStarted: true, step, cursor, rows, total };
}

/**
 * Runs the next step of a migration, or the next chunk of the step, and records it. The migration is recorded as
 * applied when it starts, so that an older version rejects the database from then on, unless it is compatible; it has a
 * row of progress until it is complete.
 */
export async function advance(db: Kysely<MigrationTables>, task: Task, clock: Clock): Promise<Task> {
  const { name, migration } = task;
  if (!task.isStarted) {
    const timestamp = new Date(clock.now()).toISOString();
    const progress = { name, step: 0, cursor: null, rows_done: 0, rows_total: null };
    const inserts = [
      db.insertInto('kysely_migration').values({ name, timestamp }),
      db.insertInto('migration_progress').values(progress),
      ...(migration.compatible === true ? [db.insertInto('compatible_migrations').values({ name })] : []),
    ];
    for (const insert of inserts) await insert.onConflict((conflict) => conflict.doNothing()).execute();
  }
  const next = await runStep(db as Kysely<unknown>, task);
  // Conditional, because on engines that commit before a change of the schema another process may have been faster.
  const isUnchanged = (eb: ExpressionBuilder<MigrationTables, 'migration_progress'>) =>
    eb.and({ name, step: task.step });
  if (next.step >= stepsOf(migration).length) {
    await db.deleteFrom('migration_progress').where(isUnchanged).execute();
  } else {
    const { step, cursor, rows: rows_done, total: rows_total } = next;
    await db
      .updateTable('migration_progress')
      .set({ step, cursor, rows_done, rows_total })
      .where(isUnchanged)
      .execute();
  }
  return next;
}

async function runStep(db: Kysely<unknown>, task: Task): Promise<Task> {
  const step = stepsOf(task.migration)[task.step];
  const nextStep = { ...task, isStarted: true, step: task.step + 1, cursor: null, rows: 0, total: null };
  if (step === undefined) return nextStep;
  if ('up' in step) {
    await step.up(db);
    return nextStep;
  }
  const total = task.total ?? (await step.total(db));
  const chunk = await step.chunk(db, task.cursor);
  if (chunk === null) return nextStep;
  return { ...task, isStarted: true, cursor: chunk.cursor, rows: task.rows + chunk.rows, total };
}
