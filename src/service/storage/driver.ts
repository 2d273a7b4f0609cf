import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  type SqliteDatabase,
  SqliteDriver,
} from 'kysely';
import { systemClock as clock } from '../../platform/clock.ts';
import type { DatabaseFileReplacedError } from '../../platform/database-files.ts';
import { second } from '../../platform/durations.ts';
import { StoreUnavailableError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { isBusy } from '../../platform/sqlite.ts';

/** How long a statement waits for a lock of another process before it fails (ms). */
const lockTimeoutMs = 3 * second;
/** Maximum time between two attempts to get the lock (ms). */
const maxPollMs = 20;

export interface DriverOptions {
  readonly writer: SqliteDatabase;
  /** The same as `writer` if only one connection is possible. Then reads wait for transactions. */
  readonly reader: SqliteDatabase;
  readonly checkFiles: () => DatabaseFileReplacedError | null;
  readonly close: () => void;
  readonly log: Log | undefined;
}

/**
 * A kysely driver for two connections of one process. Transactions take the write lock when they begin, so that another
 * process cannot make them fail later. SQLite would block the event loop while it waits for a lock, so the connections
 * have no busy timeout and this driver polls instead. Reads outside a transaction use their own connection and do not
 * wait for transactions.
 */
export async function createDriver({ writer, reader, checkFiles, close, log }: DriverOptions): Promise<Driver> {
  const writing = await connectionTo(writer);
  const reading = reader === writer ? null : await connectionTo(reader);
  /** Settles when the last queued writer of this process has finished. */
  let queue: Promise<void> = Promise.resolve();

  async function acquireTurn(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const previous = queue;
    queue = promise;
    await previous;
    return resolve;
  }

  /** Repeats the attempt until no other process holds the lock. @throws StoreUnavailableError after the deadline */
  async function retryWhileBusy<Result>(attempt: () => Promise<Result>, deadline: number): Promise<Result> {
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

  class Session implements DatabaseConnection {
    #endTurn: (() => void) | null = null;

    async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
      if (this.#endTurn !== null) return writing.executeQuery<Row>(query);
      if (reading !== null && query.query.kind === 'SelectQueryNode') {
        return retryWhileBusy(() => reading.executeQuery<Row>(query), performance.now() + lockTimeoutMs);
      }
      const result = await this.#begin(() => writing.executeQuery<Row>(query));
      this.release();
      assertFilesInPlace();
      return result;
    }

    streamQuery(): AsyncIterableIterator<never> {
      throw new Error('Streaming is not supported.');
    }

    begin = () => this.#begin(() => writing.executeQuery(CompiledQuery.raw('begin immediate')));

    async commit(): Promise<void> {
      await writing.executeQuery(CompiledQuery.raw('commit'));
      this.release();
      assertFilesInPlace();
    }

    async rollback(): Promise<void> {
      // A replaced file or a full disk may have ended the transaction already.
      if (this.#endTurn !== null) await writing.executeQuery(CompiledQuery.raw('rollback')).catch(() => {});
      this.release();
    }

    release(): void {
      this.#endTurn?.();
      this.#endTurn = null;
    }

    async #begin<Result>(execute: () => Promise<Result>): Promise<Result> {
      const deadline = performance.now() + lockTimeoutMs;
      const endTurn = await acquireTurn();
      try {
        assertFilesInPlace();
        const result = await retryWhileBusy(execute, deadline);
        this.#endTurn = endTurn;
        return result;
      } catch (error) {
        endTurn();
        throw error;
      }
    }
  }

  return {
    init: async () => {},
    acquireConnection: async () => new Session(),
    beginTransaction: async (session: Session) => void (await session.begin()),
    commitTransaction: (session: Session) => session.commit(),
    rollbackTransaction: (session: Session) => session.rollback(),
    releaseConnection: async (session: Session) => session.release(),
    destroy: async () => close(),
  };
}

async function connectionTo(database: SqliteDatabase): Promise<DatabaseConnection> {
  const driver = new SqliteDriver({ database });
  await driver.init();
  return driver.acquireConnection();
}
