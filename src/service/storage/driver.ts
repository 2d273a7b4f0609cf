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

/** How long a write waits for a lock of another process before its caller is told to come back (ms). */
const lockTimeout = 3 * second;
/** Between two tries for the lock at most (ms). */
const maxPoll = 20;

export interface DriverOptions {
  readonly writer: SqliteDatabase;
  /** The same as `writer` where there can be only one connection: then reads wait for transactions. */
  readonly reader: SqliteDatabase;
  readonly checkFiles: () => DatabaseFileReplacedError | null;
  readonly close: () => void;
  readonly log: Log | undefined;
}

/**
 * Transactions take the write lock when they begin, so none fails in its midst because of another process. SQLite
 * would block the event loop while it waits for a lock: neither connection has a busy timeout, and the wait is here.
 * Reads outside a transaction have a connection of their own and wait for nobody.
 */
export async function createDriver({ writer, reader, checkFiles, close, log }: DriverOptions): Promise<Driver> {
  const writing = await connectionTo(writer);
  const reading = reader === writer ? null : await connectionTo(reader);
  /** Settles when the last of those who wait to write in this process has finished. */
  let queue: Promise<void> = Promise.resolve();

  async function takeTurn(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = queue;
    queue = promise;
    await before;
    return resolve;
  }

  /** Tries until no other process holds the lock. @throws StoreUnavailable */
  async function whenFree<Result>(attempt: () => Promise<Result>, until: number): Promise<Result> {
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (performance.now() >= until) {
          log?.warn({ lockTimeout }, 'another process has locked the database; a caller is told to come back');
          throw new StoreUnavailableError(error);
        }
      }
      await clock.sleep(maxPoll * clock.random());
    }
  }

  function requireFiles(): void {
    const replaced = checkFiles();
    if (replaced !== null) throw new StoreUnavailableError(replaced);
  }

  class Session implements DatabaseConnection {
    #endTurn: (() => void) | null = null;

    async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
      if (this.#endTurn !== null) return writing.executeQuery<Row>(query);
      if (reading !== null && query.query.kind === 'SelectQueryNode') {
        return whenFree(() => reading.executeQuery<Row>(query), performance.now() + lockTimeout);
      }
      const result = await this.#begin(() => writing.executeQuery<Row>(query));
      this.release();
      requireFiles();
      return result;
    }

    streamQuery(): AsyncIterableIterator<never> {
      throw new Error('Nothing is streamed here.');
    }

    begin = () => this.#begin(() => writing.executeQuery(CompiledQuery.raw('begin immediate')));

    async commit(): Promise<void> {
      await writing.executeQuery(CompiledQuery.raw('commit'));
      this.release();
      requireFiles();
    }

    async rollback(): Promise<void> {
      // A commit that came too late for the file, or a full disk, has ended the transaction.
      if (this.#endTurn !== null) await writing.executeQuery(CompiledQuery.raw('rollback')).catch(() => {});
      this.release();
    }

    release(): void {
      this.#endTurn?.();
      this.#endTurn = null;
    }

    async #begin<Result>(first: () => Promise<Result>): Promise<Result> {
      const until = performance.now() + lockTimeout;
      const endTurn = await takeTurn();
      try {
        requireFiles();
        const result = await whenFree(first, until);
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
