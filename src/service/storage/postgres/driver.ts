import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import type pg from 'pg';
import { createTransactions } from '../../../platform/database/postgres-connection.ts';
import type { PostgresTransactions } from '../../../platform/database/postgres-transactions.ts';
import { asStoreError, timeouts } from './errors.ts';
import { readRows } from './read.ts';
import { storable } from './storable.ts';

export interface DriverOptions {
  readonly pool: pg.Pool;
  /** For reads outside a transaction. */
  readonly readingPool: pg.Pool;
}

/**
 * A kysely driver whose transactions have timeouts of their own, since PgBouncer has no session settings, and whose
 * errors are those of the service.
 */
export function createDriver({ pool, readingPool }: DriverOptions): Driver {
  class Session implements DatabaseConnection {
    #transaction: PostgresTransactions | null = null;

    async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
      if (this.#transaction !== null) return execute<Row>(this.#transaction, query);
      if (query.query.kind === 'SelectQueryNode' && query.query.endModifiers === undefined) {
        return resultOf<Row>(await readRows(readingPool, query.sql, query.parameters));
      }
      await this.begin();
      try {
        const result = await execute<Row>(this.#transaction as unknown as PostgresTransactions, query);
        await this.commit();
        return result;
      } catch (error) {
        await this.rollback();
        throw error;
      }
    }

    streamQuery(): AsyncIterableIterator<never> {
      throw new Error('Streaming is not supported.');
    }

    async begin(): Promise<void> {
      const transaction = createTransactions(pool, timeouts);
      await stored(transaction.begin());
      this.#transaction = transaction;
    }

    async commit(): Promise<void> {
      const transaction = this.#transaction;
      this.#transaction = null;
      if (transaction !== null) await stored(transaction.commit());
    }

    async rollback(): Promise<void> {
      await this.#transaction?.rollback();
      this.#transaction = null;
    }
  }

  return {
    init: async () => {},
    acquireConnection: async () => new Session(),
    beginTransaction: (session: Session) => session.begin(),
    commitTransaction: (session: Session) => session.commit(),
    rollbackTransaction: (session: Session) => session.rollback(),
    releaseConnection: (session: Session) => session.rollback(),
    destroy: async () => {},
  };
}

async function execute<Row>(transaction: PostgresTransactions, query: CompiledQuery): Promise<QueryResult<Row>> {
  return resultOf<Row>(await stored(transaction.execute({ sql: query.sql, parameters: storable(query.parameters) })));
}

function resultOf<Row>({ rows, rowCount }: Pick<pg.QueryResult<object>, 'rows' | 'rowCount'>): QueryResult<Row> {
  return { rows: rows as Row[], numAffectedRows: BigInt(rowCount ?? 0) };
}

async function stored<Result>(result: Promise<Result>): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    throw asStoreError(error);
  }
}
