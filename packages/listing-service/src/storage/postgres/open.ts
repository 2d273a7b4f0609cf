import { systemClock as clock } from '@tallyhook/platform/clock';
import type { Query } from '@tallyhook/platform/database/dialect';
import { runMigrations } from '@tallyhook/platform/database/migrations/migrate';
import {
  codeOf,
  connection,
  createTransactions,
  isConnectionFailure,
  readInTransaction,
} from '@tallyhook/platform/database/postgres-connection';
import { postgresDialect } from '@tallyhook/platform/database/postgres-dialect';
import { createMigratingConnection } from '@tallyhook/platform/database/postgres-migrating';
import { createPool } from '@tallyhook/platform/database/postgres-pool';
import type { TransactionTimeouts } from '@tallyhook/platform/database/postgres-transactions';
import { second } from '@tallyhook/platform/durations';
import { StoreUnavailableError } from '@tallyhook/platform/errors';
import type { CompiledQuery, QueryResult } from 'kysely';
import type pg from 'pg';
import { type PostgresEngine, unknownListing } from '../engine.ts';
import { migrations } from '../migrations/index.ts';
import { createSessionDriver, type SessionSource } from '../session-driver.ts';
import { createRecordVote, storable } from './record-votes.ts';

/** A request waits for locks as long as with SQLite. */
export const timeouts = { statementMs: 5 * second, lockMs: 3 * second } as const satisfies TransactionTimeouts;

const foreignKeyViolation = '23503';
const uniqueViolation = '23505';

/**
 * The error for the caller: a StoreUnavailableError if the same statement may succeed later, and `unknown_listing` if a
 * listing was deleted meanwhile.
 */
export function asStoreError(error: unknown): unknown {
  if (codeOf(error) === foreignKeyViolation) return unknownListing(error);
  const mayPass = postgresDialect.isUnavailable(error) || postgresDialect.isBusy(error);
  return mayPass && codeOf(error) !== uniqueViolation ? new StoreUnavailableError(error) : error;
}

/** Two pools, so that lookups do not wait for transactions. */
const maxWritingConnections = 8;
const maxReadingConnections = 4;
/** How often a transaction runs that is in conflict with others. */
const maxRuns = 5;

/**
 * Opens a database of a PostgreSQL server and runs the missing migrations. Works through PgBouncer in transaction mode:
 * no startup parameters except user and database, and no session state.
 */
export async function openPostgresEngine(url: string): Promise<PostgresEngine> {
  // In a burst, requests wait for a connection, and one that was counted must not fail because of that.
  const options = { numericAsNumber: true, connectTimeoutMs: timeouts.statementMs };
  const pool = createPool(url, maxWritingConnections, options);
  const readingPool = createPool(url, maxReadingConnections, options);
  const close = async () => void (await Promise.all([pool.end(), readingPool.end()]));
  try {
    const database = {
      ...postgresDialect,
      reading: connection((text, values) => readInTransaction(readingPool, text, values)),
      migrating: createMigratingConnection(pool),
    };
    await runMigrations(database, clock, migrations(postgresDialect));
  } catch (error) {
    await close();
    throw error;
  }
  const transact: PostgresEngine['transact'] = async (work) => {
    for (let run = 1; ; run += 1) {
      const transaction = newTransaction(pool);
      try {
        await transaction.begin();
        const result = await work(transaction);
        await transaction.commit();
        return result;
      } catch (error) {
        await transaction.rollback();
        if (run >= maxRuns || !postgresDialect.isBusy(error)) throw asStoreError(error);
      }
    }
  };
  return {
    name: 'postgres',
    connections: () => ({
      open: pool.totalCount + readingPool.totalCount,
      idle: pool.idleCount + readingPool.idleCount,
      waiting: pool.waitingCount + readingPool.waitingCount,
    }),
    dialect: postgresDialect,
    driver: createSessionDriver(sessionsOf(pool, readingPool), asStoreError),
    recordVote: createRecordVote({ transact }),
    run: async (text, parameters) => (await runStatement(readingPool, text, parameters)).rows,
    transact,
    close,
  };
}

/** Transactions with timeouts of their own, since PgBouncer has no session settings. */
function newTransaction(pool: pg.Pool) {
  const transaction = createTransactions(pool, timeouts);
  return {
    ...transaction,
    execute: ({ sql, parameters }: Query) => transaction.execute({ sql, parameters: storable(parameters) }),
    send: ({ sql, parameters }: Query) => transaction.send({ sql, parameters: storable(parameters) }),
  };
}

function sessionsOf(pool: pg.Pool, readingPool: pg.Pool): SessionSource {
  return {
    read<Row>(query: CompiledQuery) {
      if (query.query.kind !== 'SelectQueryNode' || query.query.endModifiers !== undefined) return null;
      return runStatement(readingPool, query.sql, query.parameters).then(resultOf<Row>);
    },
    async begin() {
      const { begin, execute, commit, rollback } = newTransaction(pool);
      await begin();
      return { execute: async <Row>(query: CompiledQuery) => resultOf<Row>(await execute(query)), commit, rollback };
    },
  };
}

function resultOf<Row>({ rows, rowCount }: Pick<pg.QueryResult<object>, 'rows' | 'rowCount'>): QueryResult<Row> {
  return { rows: rows as Row[], numAffectedRows: BigInt(rowCount ?? 0) };
}

/** Runs one statement outside a transaction. A connection that does not respond in time is closed. */
async function runStatement(
  pool: pg.Pool,
  text: string,
  parameters: readonly unknown[],
): Promise<pg.QueryResult<object>> {
  let client: pg.PoolClient;
  try {
    client = await pool.connect();
  } catch (error) {
    throw asStoreError(error);
  }
  try {
    // The types of pg do not have the timeout.
    const query = { text, values: storable(parameters), query_timeout: timeouts.statementMs };
    const result = await client.query<object>(query);
    client.release();
    return result;
  } catch (error) {
    client.release(isConnectionFailure(error));
    throw asStoreError(error);
  }
}
