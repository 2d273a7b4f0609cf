import { dirname, resolve } from 'node:path';
import type { Clock } from '@tallyhook/platform/clock';
import { describeConnectionError } from '@tallyhook/platform/database/connection-error';
import { prepareDatabaseDirectory } from '@tallyhook/platform/database/database-directory';
import { sqlitePathOf } from '@tallyhook/platform/database/database-url';
import { claimFile, type FileClaim } from '@tallyhook/platform/database/file-claim';
import type { MigrationProgress } from '@tallyhook/platform/database/migrations/migrate';
import { unusableFileHint } from '@tallyhook/platform/database/unusable-file';
import { codeOf, messageOf, TallyhookError } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { createGroupCommit, createWriter, separateRecordings } from './commits/group-commit.ts';
import { startWriteWorker } from './commits/write-worker-client.ts';
import type { Dialect } from './dialect/dialect.ts';
import { migrate } from './migrations/index.ts';
import type { StoredFeatures } from './sql-module.ts';

/** The database cannot be opened: unreachable server, no permission, or not a database file. */
class CannotOpenDatabaseError extends TallyhookError {
  constructor(cause: unknown, url: string) {
    const path = sqlitePathOf(url);
    const reason = path === null ? describeConnectionError(cause, url) : messageOf(cause) || String(cause);
    super('cannot_open_database', `The database cannot be opened: ${reason}.`, { cause, hint: hintFor(cause, path) });
  }
}

/** @param path of the SQLite file; null with PostgreSQL */
function hintFor(cause: unknown, path: string | null): string {
  if (path === null) return 'Check its address: the server must run, and accept the user and the password.';
  const hint = unusableFileHint(cause, path);
  if (hint !== undefined) return hint;
  return isWriteRefused(cause)
    ? ownershipHint(dirname(resolve(path)))
    : 'Check its path: its folder must exist and be writable.';
}

/** EACCES and so on of the file system; READONLY of SQLite (sqlite.org/rescode.html). */
function isWriteRefused(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  if (['EACCES', 'EPERM', 'EROFS'].includes(codeOf(cause) ?? '')) return true;
  return 'errcode' in cause && (Number(cause.errcode) & 0xff) === 8;
}

/** Volumes of containers often belong to root, and the program does not run as root. */
function ownershipHint(folder: string): string {
  const user = process.getuid?.();
  const owner = user === undefined ? 'the user of this process' : `${user}:${process.getgid?.() ?? user}`;
  return (
    `${folder} and the files in it must be writable for the user of this process. As root, run: ` +
    `chown -R ${owner} ${folder}. In a container this is the folder or volume that is mounted there.`
  );
}

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
  /** True if a thread commits to SQLite. */
  readonly thread: boolean;
  /** How a program that runs until it is stopped claims the SQLite file; null for a short command. */
  readonly claim: FileClaim | null;
  readonly log: Log | undefined;
  readonly onMigration: ((progress: MigrationProgress) => void) | undefined;
}

/**
 * Connects to a database, applies missing migrations, and starts its group commit. Throws {@link DatabaseTooNewError}
 * and {@link CannotOpenDatabaseError}.
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
