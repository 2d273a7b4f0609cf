import { sqlitePathOf } from '../database/database-url.ts';
import type { MigrationProgress } from '../database/migrations/migrate.ts';
import type { Clock } from '../platform/clock.ts';
import { TallyhookError } from '../platform/errors.ts';
import { CannotOpenDatabaseError } from './cannot-open-database-error.ts';
import { createGroupCommit, type GroupCommit, separateRecordings } from './commits/group-commit.ts';
import { createWriter } from './commits/writer.ts';
import type { Dialect } from './dialect/dialect.ts';
import { migrate } from './migrations/migrate.ts';

/** Transactions that may wait at one time. More are rejected, and senders of deliveries are asked to retry (503). */
const maxQueueLength = 10_000;

/**
 * Connects to the database, applies missing migrations, and starts its group commit. Each driver is loaded only if it
 * is used. Throws {@link DatabaseTooNewError} and {@link CannotOpenDatabaseError}.
 */
export async function openDatabase(
  url: string,
  clock: Clock,
  thread: boolean,
  onMigration: ((progress: MigrationProgress) => void) | undefined,
): Promise<{ readonly dialect: Dialect; readonly commits: GroupCommit }> {
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
    return { dialect, commits: await startCommits(dialect, clock, thread) };
  } catch (error) {
    throw error instanceof TallyhookError ? error : new CannotOpenDatabaseError(error, path);
  }
}

/**
 * SQLite has one writer, for everything. On a server, batches of recordings overlap, and nothing else waits for them.
 */
async function startCommits(dialect: Dialect, clock: Clock, thread: boolean): Promise<GroupCommit> {
  if (dialect.files !== null && thread) {
    return (await import('./commits/write-worker-client.ts')).startWriteWorker(dialect.files, maxQueueLength);
  }
  const commitsWith = (writers: number) =>
    createGroupCommit(
      Array.from({ length: writers }, () => createWriter(dialect, clock)),
      clock,
      maxQueueLength,
    );
  return dialect.files !== null ? commitsWith(1) : separateRecordings(commitsWith(3), commitsWith(2));
}
