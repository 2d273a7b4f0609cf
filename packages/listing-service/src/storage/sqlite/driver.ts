import { systemClock as clock } from '@tallyhook/platform/clock';
import { sqliteDialect } from '@tallyhook/platform/database/sqlite-dialect';
import type { DatabaseFileReplacedError } from '@tallyhook/platform/database-files';
import { second } from '@tallyhook/platform/durations';
import { StoreUnavailableError } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { isBusy } from '@tallyhook/platform/sqlite';
import { type DatabaseConnection, type Driver, type SqliteDatabase, SqliteDriver } from 'kysely';
import { type Execute, type SqliteEngine, unknownListing } from '../engine.ts';
import { createSessionDriver, type SessionSource } from '../session-driver.ts';
import { GroupCommit } from './group-commit.ts';

/** How long a statement waits for a lock of another process before it fails (ms). */
const lockTimeoutMs = 3 * second;
/** Maximum time between two attempts to get the lock (ms). */
const maxPollMs = 20;

export interface DriverOptions {
  readonly writer: SqliteDatabase;
  /** The connection for reads: `writer` if only one connection is possible. Then reads wait for transactions. */
  readonly reader: SqliteDatabase;
  readonly checkFiles: () => DatabaseFileReplacedError | null;
  readonly log: Log | undefined;
}

/** A driver that can also run a whole transaction at once. */
export type SqliteServiceDriver = Driver & Pick<SqliteEngine, 'transact'>;

/**
 * A kysely driver for two connections of one process. Transactions take the write lock when they begin, so that another
 * process cannot make them fail later. SQLite would block the event loop while it waits for a lock, so the connections
 * have no busy timeout and this driver polls instead. Reads outside a transaction use their own connection and do not
 * wait for transactions.
 */
export async function createDriver({ writer, reader, checkFiles, log }: DriverOptions): Promise<SqliteServiceDriver> {
  const writing = await connectionTo(writer);
  const reading = reader === writer ? null : await connectionTo(reader);
  const commits = new GroupCommit(writer, {
    async begin(queuedAt) {
      assertFilesInPlace();
      await retryWhileBusy(async () => execute('begin immediate', []), queuedAt);
    },
    afterCommit: assertFilesInPlace,
  });

  const execute: Execute = (text, parameters) => {
    const statement = writer.prepare(text);
    if (statement.reader) return statement.all(parameters);
    statement.run(parameters);
    return [];
  };

  /**
   * Repeats the attempt until no other process holds the lock.
   * @param since when the statement began to wait (ms, monotonic)
   * @throws StoreUnavailableError after 3 s
   */
  async function retryWhileBusy<Result>(attempt: () => Promise<Result>, since: number): Promise<Result> {
    const deadline = since + lockTimeoutMs;
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (performance.now() >= deadline) {
          log?.warn({ lockTimeoutMs }, 'another process has locked the database; the statement was given up');
          throw new StoreUnavailableError(error);
        }
      }
      await clock.sleep(maxPollMs * clock.random());
    }
  }

  function assertFilesInPlace(): void {
    const replaced = checkFiles();
    if (replaced !== null) throw new StoreUnavailableError(replaced);
  }

  const source: SessionSource = {
    read(query) {
      if (reading === null || query.query.kind !== 'SelectQueryNode') return null;
      return retryWhileBusy(() => reading.executeQuery(query), performance.now());
    },
    begin: async () => ({ ...(await commits.begin()), execute: (query) => writing.executeQuery(query) }),
  };

  async function transact<Result>(work: (execute: Execute) => Result): Promise<Result> {
    const member = await commits.begin();
    let result: Result;
    try {
      result = work(execute);
    } catch (error) {
      member.rollback();
      throw error;
    }
    await member.commit();
    return result;
  }

  return {
    ...createSessionDriver(source, asStoreError),
    transact: (work) =>
      transact(work).catch((error: unknown) => {
        throw asStoreError(error);
      }),
  };
}

const foreignKeyViolation = 787;

/**
 * The error for the caller: a StoreUnavailableError if the same statement may succeed later, such as after a full disk,
 * and `unknown_listing` if a listing was deleted meanwhile.
 */
function asStoreError(error: unknown): unknown {
  if (sqliteDialect.isUnavailable(error)) return new StoreUnavailableError(error);
  const isDeleted = error instanceof Error && 'errcode' in error && error.errcode === foreignKeyViolation;
  return isDeleted ? unknownListing(error) : error;
}

async function connectionTo(database: SqliteDatabase): Promise<DatabaseConnection> {
  const driver = new SqliteDriver({ database });
  await driver.init();
  return driver.acquireConnection();
}
