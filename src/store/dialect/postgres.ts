import { PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { Connection, Dialect, WritingConnection } from './dialect.ts';

/** Key of the advisory lock that serializes the writing transactions of all processes. An arbitrary constant. */
const writerLockKey = 7_411_700;
/** Timeout of one attempt to take the lock. Short, because queued jobs wait meanwhile; the group commit retries. */
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

  return {
    blobType: 'bytea',
    columnIfNotExists: sql`if not exists`,
    cascade: sql`cascade`,
    withoutRowid: sql``,
    jsonObjectAgg: (key, value) => sql`json_object_agg(${key}, ${value})::text`,
    idColumn: { type: 'bigint', build: (column) => column.primaryKey().generatedByDefaultAsIdentity().notNull() },
    kysely: new PostgresDialect({ pool }),
    reading: connection((text, values) => readInTransaction(pool, text, values)),
    writing: createWritingConnection(pool, writeTimeoutMs, {
      lock: (client) => run(client, `SELECT pg_advisory_xact_lock(${writerLockKey})`, [], writeTimeoutMs),
    }),
    migrating: {
      ...createWritingConnection(pool, null, {
        prepare: createMigrationLock,
        lock: (client) => run(client, "SELECT name FROM locks WHERE name = 'migrations' FOR UPDATE", [], null),
      }),
      release: async () => {},
    },
    defineFunction: null,
    isBusy: (error) => codeOf(error) === '55P03',
    isUnavailable: (error) => unavailableCode.test(codeOf(error)) || isConnectionFailure(error),
    files: null,
    checkFiles: () => null,
    close: () => pool.end(),
  };
}

/** How a transaction is serialized: what creates the lock, before the first transaction, and what takes it. */
interface Lock {
  readonly prepare?: (client: pg.PoolClient) => Promise<void>;
  readonly lock: (client: pg.PoolClient) => Promise<unknown>;
}

/**
 * The lock of migrations is a row, because not every engine of PostgreSQL's family has advisory locks. Outside a
 * transaction, so that the row is visible to the others.
 */
async function createMigrationLock(client: pg.PoolClient): Promise<void> {
  try {
    await run(client, 'CREATE TABLE IF NOT EXISTS locks (name text PRIMARY KEY NOT NULL)', [], null);
  } catch (error) {
    // Another process has created it at the same time.
    if (!['23505', '42P07'].includes(codeOf(error))) throw error;
  }
  await run(client, "INSERT INTO locks (name) VALUES ('migrations') ON CONFLICT DO NOTHING", [], null);
}

/** @param timeoutMs for each statement; null for no timeout */
function createWritingConnection(pool: pg.Pool, timeoutMs: number | null, { prepare, lock }: Lock): WritingConnection {
  let writer: pg.PoolClient | undefined;
  let isPrepared = prepare === undefined;
  /** Closes the connection, which rolls back even if the server does not respond. */
  function discard(client: pg.PoolClient | undefined): void {
    client?.release(true);
  }

  return {
    ...connection(async (text, values) => {
      if (writer === undefined) throw new Error('There is no transaction.');
      return run(writer, text, values, timeoutMs);
    }),
    begin: async () => {
      const client = await pool.connect();
      try {
        if (!isPrepared) await prepare?.(client);
        isPrepared = true;
        await run(
          client,
          `BEGIN; ${setStatementTimeout(timeoutMs)}; SET LOCAL lock_timeout = ${lockTimeoutMs}`,
          [],
          timeoutMs,
        );
        await lock(client);
      } catch (error) {
        discard(client);
        throw error;
      }
      writer = client;
    },
    commit: async () => {
      const client = writer;
      writer = undefined;
      try {
        if (client !== undefined) await run(client, 'COMMIT', [], timeoutMs);
        client?.release();
      } catch (error) {
        discard(client);
        throw error;
      }
    },
    rollback: async () => {
      discard(writer);
      writer = undefined;
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
