import { once } from 'node:events';
import module from 'node:module';
import { dirname, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Clock } from '@tallyhook/platform/clock';
import { describeConnectionError } from '@tallyhook/platform/database/connection-error';
import { prepareDatabaseDirectory } from '@tallyhook/platform/database/database-directory';
import { sqlitePathOf } from '@tallyhook/platform/database/database-url';
import { claimFile, type FileClaim } from '@tallyhook/platform/database/file-claim';
import { unusableFileHint } from '@tallyhook/platform/database/unusable-file';
import type { DatabaseFiles } from '@tallyhook/platform/database-files';
import { codeOf, messageOf, StoreUnavailableError, TallyhookError } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { SlotMap } from '@tallyhook/platform/slot-map';
import {
  createGroupCommit,
  createJobEncoder,
  createWriter,
  decodeResult,
  type GroupCommit,
  type JobOutcome,
  QueueFullError,
  separateRecordings,
  type WorkerRequest,
  type WorkerResponse,
} from './commits/group-commit.ts';
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
interface LoadedFeatures extends StoredFeatures {
  /** Calls `runWriteWorker`. Null if there is no file that a thread could run: then this thread commits. */
  readonly workerFile: URL | null;
}

/** A database that is not open yet. */
export interface DatabaseSource {
  /** The address of the database, for errors: `sqlite:` with a path, or that of a server. */
  readonly url: string;
  readonly open: () => Promise<Dialect>;
}

interface OpenDatabaseOptions {
  /** True if a thread commits to SQLite. */
  readonly thread: boolean;
  /** How a program that runs until it is stopped claims the SQLite file; null for a short command. */
  readonly claim: FileClaim | null;
  readonly log: Log | undefined;
}

/**
 * Connects to a database, applies missing migrations, and starts its group commit. Throws {@link DatabaseTooNewError}
 * and {@link CannotOpenDatabaseError}.
 */
export async function openDatabase(
  { url, open }: DatabaseSource,
  clock: Clock,
  features: LoadedFeatures,
  { thread, claim, log }: OpenDatabaseOptions,
) {
  const path = sqlitePathOf(url);
  let release = () => {};
  try {
    if (claim !== null && path !== null) {
      prepareDatabaseDirectory(path);
      release = await claimFile(path, claim, log);
    }
    const dialect = await open();
    const isNew = await migrate(dialect, clock, (migration) =>
      log?.info({ migration }, 'upgrading the database'),
    ).catch(async (error: unknown) => {
      await dialect.close();
      throw error;
    });
    return { dialect, release, isNew, commits: startCommits(dialect, clock, features, thread) };
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

/**
 * This many jobs are posted immediately, without waiting for the end of the turn. With all 64 of a turn in one message,
 * each thread is idle while the other works; with fewer, more commits cost more than the shorter wait saves.
 */
const messageSize = 24;

interface PendingJob {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The group commit of a SQLite file on a worker thread, so that neither the disk nor a lock blocks this thread, and
 * deliveries are verified while others are being committed. Jobs are posted at the end of the current turn of the event
 * loop at the latest. If the worker crashes, its jobs are rejected as not written, and the next write starts a new
 * worker.
 * @param workerFile calls `runWriteWorker`
 */
export function startWriteWorker(workerFile: URL, files: DatabaseFiles, maxQueueLength: number): GroupCommit {
  /** By the number of the job. */
  const pending = new SlotMap<PendingJob>();
  let encodeJob: ReturnType<typeof createJobEncoder>;
  let worker: Worker | undefined = startWorker();
  let request: WorkerRequest[number][] = [];
  let closed = false;

  function startWorker(): Worker {
    // A thread does not inherit the compile cache, of which Node reports its own subfolder. Other runtimes have none.
    const directory = module.getCompileCacheDir?.();
    const compileCache = directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) };
    // The worker needs no settings, and they contain secrets. Node's options are for the program: with `--input-type`, which
    // comes with `--eval`, a file cannot be started.
    const newWorker = new Worker(workerFile, { workerData: files, env: compileCache, execArgv: [] });
    // The new worker knows no listings.
    encodeJob = createJobEncoder();
    const rejectPending = (cause: Error) => {
      if (worker !== newWorker) return;
      worker = undefined;
      request = [];
      for (const { reject } of pending.values()) reject(new StoreUnavailableError(cause));
      pending.clear();
    };
    newWorker.on('message', (response: WorkerResponse) => {
      // Its jobs were rejected, and their numbers may be those of others.
      if (worker !== newWorker) return;
      for (const [id, outcome] of response) settle(id, outcome);
      if (pending.size === 0) newWorker.unref();
    });
    newWorker.on('error', rejectPending);
    newWorker.on('exit', (code) => rejectPending(new Error(`The write worker has exited (${code}).`)));
    newWorker.unref();
    return newWorker;
  }

  function settle(id: number, outcome: JobOutcome): void {
    const job = pending.take(id);
    try {
      job?.resolve(decodeResult(outcome));
    } catch (error) {
      job?.reject(error);
    }
  }

  function post(): void {
    if (request.length === 0) return;
    worker?.postMessage(request);
    request = [];
  }

  return {
    write(job) {
      if (closed) return Promise.reject(new StoreUnavailableError(new Error('The store is closed.')));
      if (pending.size >= maxQueueLength) return Promise.reject(new QueueFullError(pending.size));
      worker ??= startWorker();
      if (pending.size === 0) worker.ref();
      return new Promise((resolve, reject) => {
        // The response with this number belongs to this job.
        const id = pending.add({ resolve, reject });
        request.push([id, encodeJob(job)]);
        if (request.length === 1) setImmediate(post);
        if (request.length === messageSize) post();
      });
    },
    waiting: () => pending.size,
    /** Resolves after the worker has committed or rejected its jobs. */
    async close(): Promise<void> {
      closed = true;
      post();
      if (worker === undefined) return;
      worker.ref();
      const exited = once(worker, 'exit');
      worker.postMessage('close');
      await exited;
    },
  };
}
