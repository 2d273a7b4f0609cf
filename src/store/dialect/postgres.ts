import { PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { queryBuilder } from '../query-builder.ts';
import type { Dialect } from './dialect.ts';
import {
  codeOf,
  connection,
  createTransactions,
  isConnectionFailure,
  readInTransaction,
  writeTimeoutMs,
} from './postgres-connection.ts';
import { createMigratingConnection } from './postgres-migrating.ts';
import { postgresRecord } from './postgres-recording.ts';

/** The type id of `bigint`, the type of counts and times. */
const bigintOid = 20;
/** Type parsers that return a bigint as a number, which is exact up to 2^53. */
export const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === bigintOid ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};

/**
 * Codes of a database that is not writable (postgresql.org/docs/current/errcodes-appendix.html): login rejected,
 * unknown database, out of resources, shutting down, system error, read-only, or no permission.
 */
const unavailableCode = /^(08|28|3D|53|57|58|25006|42501)/;
/**
 * Codes after which the transaction may succeed if it is run again: lock timeout, serialization failure, deadlock, a
 * unique key that another transaction has just inserted, and a pause of this process during the transaction.
 */
const retryCodes: readonly string[] = ['55P03', '40001', '40P01', '23505', '25P03'];

/** One for each of the store's writers, and one more: a writer continues while its last transaction is rolled back. */
const maxWritingConnections = 6;
const maxReadingConnections = 4;
/** So that ids which a connection has reserved are used soon: the counters of rows rely on it. */
const maxConnectionSeconds = 600;

/**
 * PostgreSQL, for more than one process. Works through PgBouncer in transaction mode: no startup parameters except user
 * and database, and no session state. Timeouts are set per transaction.
 */
export function postgres(url: string): Dialect {
  // Two pools, so that deliveries do not wait for slow reads, such as sums over all accounts.
  const pool = createPool(url, maxWritingConnections);
  const readingPool = createPool(url, maxReadingConnections);
  const kysely = new PostgresDialect({ pool });
  const db = queryBuilder({ kysely });

  return {
    blobType: 'bytea',
    columnIfNotExists: sql`if not exists`,
    selectColumn: (table, column) => sql`
      select column_name from information_schema.columns
      where table_schema = current_schema() and table_name = ${table} and column_name = ${column}`,
    cascade: sql`cascade`,
    withoutRowid: sql``,
    reusesShortenedRows: true,
    jsonObjectAgg: (key, value) => sql`json_object_agg(${key}, ${value})::text`,
    idColumn: { type: 'bigint', build: (column) => column.primaryKey().generatedByDefaultAsIdentity().notNull() },
    kysely,
    reading: connection((text, values) => readInTransaction(readingPool, text, values)),
    openWriting() {
      const transactions = createTransactions(pool, writeTimeoutMs);
      return { ...transactions, record: postgresRecord(transactions, db) };
    },
    migrating: createMigratingConnection(pool),
    defineFunction: null,
    isBusy: (error) => retryCodes.includes(codeOf(error)),
    isUnavailable: (error) => unavailableCode.test(codeOf(error)) || isConnectionFailure(error),
    files: null,
    dataVersion: null,
    checkFiles: () => null,
    async close() {
      await Promise.all([pool.end(), readingPool.end()]);
    },
  };
}

function createPool(connectionString: string, max: number): pg.Pool {
  const pool = new pg.Pool({
    ...{ connectionString, max, types },
    pipeline: true,
    maxLifetimeSeconds: maxConnectionSeconds,
    connectionTimeoutMillis: writeTimeoutMs,
  });
  // The pool replaces broken connections. Without these listeners, a broken connection would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}
