import { PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { queryBuilder } from '../query-builder.ts';
import type { Connection, Dialect, Transactions } from './dialect.ts';
import { postgresRecord } from './postgres-recording.ts';

/** Key of the advisory lock of migrations. An arbitrary constant. */
const migrationLockKey = 7_411_700;
/** Timeout of one attempt to take a lock. Short, because queued jobs wait meanwhile; the group commit retries. */
const lockTimeoutMs = 500;
/** Timeout of connecting, and of each statement that writes: an unresponsive server must not keep a sender waiting. */
const writeTimeoutMs = 1_500;
/** Timeout of a query that only reads, such as a sum over all accounts. */
const readTimeoutMs = 10_000;

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
 * Codes after which the transaction may succeed if it is run again: lock timeout, serialization failure, deadlock, and
 * a unique key that another transaction has just inserted.
 */
const retryCodes: readonly string[] = ['55P03', '40001', '40P01', '23505'];

/**
 * PostgreSQL, for more than one process. Works through PgBouncer in transaction mode: no startup parameters except user
 * and database, and no session state. Timeouts are set per transaction.
 */
export function postgres(url: string): Dialect {
  const pool = new pg.Pool({
    connectionString: url,
    max: 8,
    types,
    connectionTimeoutMillis: writeTimeoutMs,
  });
  // The pool replaces broken connections. Without these listeners, a broken connection would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const kysely = new PostgresDialect({ pool });
  const db = queryBuilder({ kysely });

  return {
    withoutRowid: sql``,
    jsonObjectAgg: (key, value) => sql`json_object_agg(${key}, ${value})::text`,
    idColumn: { type: 'bigint', build: (column) => column.primaryKey().generatedByDefaultAsIdentity().notNull() },
    kysely,
    reading: connection((text, values) => readInTransaction(pool, text, values)),
    openWriting() {
      const transactions = createTransactions(pool, writeTimeoutMs);
      return { ...transactions, record: postgresRecord(transactions, db) };
    },
    migrating: createTransactions(pool, null, `SELECT pg_advisory_xact_lock(${migrationLockKey})`),
    isBusy: (error) => retryCodes.includes(codeOf(error)),
    isUnavailable: (error) => unavailableCode.test(codeOf(error)) || isConnectionFailure(error),
    files: null,
    checkFiles: () => null,
    close: () => pool.end(),
  };
}

/**
 * @param timeoutMs for each statement; null for no timeout
 * @param lock a statement that takes the lock of these transactions
 */
function createTransactions(pool: pg.Pool, timeoutMs: number | null, lock?: string): Transactions {
  let current: pg.PoolClient | undefined;
  /** Closes the connection, which rolls back even if the server does not respond. */
  function discard(client: pg.PoolClient | undefined): void {
    client?.release(true);
  }

  return {
    ...connection(async (text, values) => {
      if (current === undefined) throw new Error('There is no transaction.');
      return run(current, text, values, timeoutMs);
    }),
    begin: async () => {
      const client = await pool.connect();
      try {
        const limits = `${setStatementTimeout(timeoutMs)}; SET LOCAL lock_timeout = ${lockTimeoutMs}`;
        await run(client, `BEGIN; ${limits}`, [], timeoutMs);
        if (lock !== undefined) await run(client, lock, [], timeoutMs);
      } catch (error) {
        discard(client);
        throw error;
      }
      current = client;
    },
    commit: async () => {
      const client = current;
      current = undefined;
      try {
        if (client !== undefined) await run(client, 'COMMIT', [], timeoutMs);
        client?.release();
      } catch (error) {
        discard(client);
        throw error;
      }
    },
    // Not awaited: a server that does not respond would delay the next transaction.
    rollback: async () => {
      const client = current;
      current = undefined;
      if (client === undefined) return;
      run(client, 'ROLLBACK', [], writeTimeoutMs).then(
        () => client.release(),
        () => discard(client),
      );
    },
  };
}
/** Runs one query in its own transaction: a session-wide timeout would also apply to other clients of PgBouncer. */
async function readInTransaction(pool: pg.Pool, text: string, values: unknown[]): Promise<readonly unknown[]> {
  const client = await pool.connect();
  try {
    await run(client, `BEGIN READ ONLY; ${setStatementTimeout(readTimeoutMs)}`, [], readTimeoutMs);
    const rows = await run(client, text, values, readTimeoutMs);
    await run(client, 'COMMIT', [], readTimeoutMs);
    client.release();
    return rows;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** SQL that sets the statement timeout of the current transaction; null for none, whatever the server's default. */
export function setStatementTimeout(timeoutMs: number | null): string {
  return `SET LOCAL statement_timeout = ${timeoutMs ?? 0}`;
}

function connection(rows: (text: string, values: unknown[]) => Promise<readonly unknown[]>): Connection {
  return {
    run: ({ sql: text, parameters }) => rows(text, [...parameters]),
    async insert({ sql: text, parameters }) {
      const [row] = await rows(`${text} returning id`, [...parameters]);
      return (row as { id: number } | undefined)?.id ?? null;
    },
  };
}

/** Runs one statement. @param timeoutMs null for no timeout */
async function run(
  client: pg.PoolClient,
  text: string,
  values: unknown[],
  timeoutMs: number | null,
): Promise<readonly unknown[]> {
  const options = timeoutMs === null ? {} : { query_timeout: timeoutMs };
  return (await client.query({ text, values, ...options })).rows;
}

function codeOf(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : '';
}

/** Errors of the socket, and the driver's errors for a connection that is closed or times out. */
function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof pg.DatabaseError) return false;
  return 'code' in error || /connection|terminated|timeout/i.test(error.message);
}
