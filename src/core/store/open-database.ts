import type { Clock } from '../../platform/clock.ts';
import { sqlitePathOf } from '../../platform/database/database-url.ts';
import type { MigrationProgress } from '../../platform/database/migrations/migrate.ts';
import { TallyhookError } from '../../platform/errors.ts';
import { CannotOpenDatabaseError } from './cannot-open-database-error.ts';
import { createGroupCommit, createWriter, separateRecordings } from './commits/group-commit.ts';
import type { Dialect } from './dialect/dialect.ts';
import { migrate } from './migrations/migrate.ts';
import type { StoredFeatures } from './sql-module.ts';

/** Transactions that may wait at one time. More are rejected, and senders of deliveries are asked to retry (503). */
const maxQueueLength = 10_000;

/** Features, and the file of a worker thread that has them. */
export interface LoadedFeatures extends StoredFeatures {
  /** Calls `runWriteWorker`. Null if there is no file that a thread could run: then this thread commits. */
  readonly workerFile: URL | null;
}

/**
 * Connects to the database, applies missing migrations, and starts its group commit. Each driver is loaded only if it
 * is used. Throws {@link DatabaseTooNewError} and {@link CannotOpenDatabaseError}. `reopen`: see {@link Dialect.reopen};
 * null if the program does not run long enough for it.
 */
export async function openDatabase(
  url: string,
  clock: Clock,
  features: LoadedFeatures,
  thread: boolean,
  onMigration: ((progress: MigrationProgress) => void) | undefined,
) {
  const path = sqlitePathOf(url);
  try {
    const dialect =
      path === null
        ? (await import('./dialect/postgres.ts')).postgres(url)
        : (await import('./dialect/sqlite.ts')).sqlite(path);
    await migrate(dialect, clock, { onProgress: onMigration }).catch(async (error: unknown) => {
      await dialect.close();
      throw error;
    });
    return { dialect, ...(await startCommits(dialect, clock, features, thread)) };
  } catch (error) {
    throw error instanceof TallyhookError ? error : new CannotOpenDatabaseError(error, url);
  }
}

/**
 * SQLite has one writer, for everything. On a server, batches of recordings overlap, and nothing else waits for them.
 */
async function startCommits(dialect: Dialect, clock: Clock, features: LoadedFeatures, thread: boolean) {
  const { files } = dialect;
  const { workerFile } = features;
  if (files !== null && thread && workerFile !== null) {
    const { startWriteWorker } = await import('./commits/write-worker-client.ts');
    const commits = startWriteWorker(workerFile, () => dialect.files ?? files, maxQueueLength);
    return { commits, reopen: () => commits.restart(dialect.reopen) };
  }
  const commitsWith = (writers: number) =>
    createGroupCommit(
      Array.from({ length: writers }, () => createWriter(dialect, clock, features)),
      clock,
      maxQueueLength,
    );
  const commits = files !== null ? commitsWith(1) : separateRecordings(commitsWith(3), commitsWith(2));
  return { commits, reopen: null };
}
