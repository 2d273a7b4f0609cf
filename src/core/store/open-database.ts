import type { Clock } from '@tallyhook/platform/clock';
import { prepareDatabaseDirectory } from '@tallyhook/platform/database/database-directory';
import { sqlitePathOf } from '@tallyhook/platform/database/database-url';
import { claimFile, type FileClaim } from '@tallyhook/platform/database/file-claim';
import type { MigrationProgress } from '@tallyhook/platform/database/migrations/migrate';
import { TallyhookError } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { CannotOpenDatabaseError } from './cannot-open-database-error.ts';
import { createGroupCommit, createWriter, separateRecordings } from './commits/group-commit.ts';
import { startWriteWorker } from './commits/write-worker-client.ts';
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

/** A database that is not open yet. */
export interface DatabaseSource {
  /** Its address, for errors: `sqlite:` with a path, or that of a server. */
  readonly url: string;
  readonly open: () => Promise<Dialect>;
}

export interface OpenDatabaseOptions {
  /** Whether a thread commits to SQLite. */
  readonly thread: boolean;
  /** How a program that runs until it is stopped claims the SQLite file; null for a short command. */
  readonly claim: FileClaim | null;
  readonly log: Log | undefined;
  readonly onMigration: ((progress: MigrationProgress) => void) | undefined;
}

/**
 * Connects to a database, applies missing migrations, and starts its group commit. Throws {@link DatabaseTooNewError} and
 * {@link CannotOpenDatabaseError}.
 */
export async function openDatabase(
  { url, open }: DatabaseSource,
  clock: Clock,
  features: LoadedFeatures,
  { thread, claim, log, onMigration }: OpenDatabaseOptions,
) {
  const path = sqlitePathOf(url);
  let release = () => {};
  try {
    if (claim !== null && path !== null) {
      prepareDatabaseDirectory(path);
      release = await claimFile(path, claim, log);
    }
    const dialect = await open();
    await migrate(dialect, clock, { onProgress: onMigration }).catch(async (error: unknown) => {
      await dialect.close();
      throw error;
    });
    return { dialect, release, commits: startCommits(dialect, clock, features, thread) };
  } catch (error) {
    release();
    throw error instanceof TallyhookError ? error : new CannotOpenDatabaseError(error, url);
  }
}

/**
 * SQLite has one writer, for everything. On a server, batches of recordings overlap, and nothing else waits for them.
 */
function startCommits(dialect: Dialect, clock: Clock, features: LoadedFeatures, thread: boolean) {
  const { files } = dialect;
  const { workerFile } = features;
  if (files !== null && thread && workerFile !== null) return startWriteWorker(workerFile, files, maxQueueLength);
  const commitsWith = (writers: number) =>
    createGroupCommit(
      Array.from({ length: writers }, () => createWriter(dialect, clock, features)),
      clock,
      maxQueueLength,
    );
  return files !== null ? commitsWith(1) : separateRecordings(commitsWith(3), commitsWith(2));
}
