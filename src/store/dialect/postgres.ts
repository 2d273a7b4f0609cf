import { PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { Connection, Dialect, WritingConnection } from './dialect.ts';

/** The key of the advisory lock that makes one transaction at a time the writer, over all processes. Any constant number does. */
const writerLock = 7_411_700;
/** How long one try for the lock lasts (ms). Short, because whoever comes meanwhile waits too; the group commit tries again. */
const lockTimeout = 500;
/** How long a connection, or a statement of a transaction, may take (ms): a server that has gone silent must not keep a sender waiting. */
const silence = 1_500;
/** How long a question outside of any transaction may take (ms), such as a sum over all accounts. */
const readingTime = 10_000;

const bigint = 20;
/** Counts and times come as bigint, which JavaScript's numbers hold to 2^53. */
export const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === bigint ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};

/**
 * Nobody can write (postgresql.org/docs/current/errcodes-appendix.html): it refuses the login or knows no such database, lacks resources,
 * is being shut down, breaks, only reads, or does not let this user write.
 */
const unavailable = /^(08|28|3D|53|57|58|25006|42501)/;

/**
 * PostgreSQL, for more than one process, also through PgBouncer in transaction mode: no startup parameters beyond user and database, and no
 * session state. Limits are set per transaction.
 */
export function postgres(url: string): Dialect {
  const pool = new pg.Pool({
    connectionString: url,
    max: 8,
    types,
    connectionTimeoutMillis: silence,
  });
  // A connection that breaks, idle or between two statements, is replaced; without a listener it would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));

  return {
    withoutRowid: sql``,
    jsonObjectAgg: (key, value) => sql`json_object_agg(${key}, ${value})::text`,
    idColumn: { type: 'bigint', build: (column) => column.primaryKey().generatedByDefaultAsIdentity().notNull() },
    kysely: new PostgresDialect({ pool }),
    reading: connection((text, values) => readThrough(pool, text, values)),
    writing: writingThrough(pool, silence),
    migrating: writingThrough(pool, null),
    isBusy: (error) => codeOf(error) === '55P03',
    isUnavailable: (error) => unavailable.test(codeOf(error)) || isConnectionFailure(error),
    files: null,
    checkFiles: () => null,
    close: () => pool.end(),
  };
}

/** `patience` is for each statement (ms); null lets it take as long as it needs. */
function writingThrough(pool: pg.Pool, patience: number | null): WritingConnection {
  let writer: pg.PoolClient | undefined;
  /** Closing the connection rolls back, also where the server does not answer any more. */
  function giveUp(client: pg.PoolClient | undefined): void {
    client?.release(true);
  }

  return {
    ...connection(async (text, values) => {
      if (writer === undefined) throw new Error('A statement outside its transaction.');
      return run(writer, text, values, patience);
    }),
    begin: async () => {
      const client = await pool.connect();
      try {
        await run(client, `BEGIN; ${limitStatements(patience)}; SET LOCAL lock_timeout = ${lockTimeout}`, [], patience);
        await run(client, `SELECT pg_advisory_xact_lock(${writerLock})`, [], patience);
      } catch (error) {
        giveUp(client);
        throw error;
      }
      writer = client;
    },
    commit: async () => {
      const client = writer;
      writer = undefined;
      try {
        if (client !== undefined) await run(client, 'COMMIT', [], patience);
        client?.release();
      } catch (error) {
        giveUp(client);
        throw error;
      }
    },
    rollback: async () => {
      giveUp(writer);
      writer = undefined;
    },
  };
}

/** Runs one query in a transaction of its own: a limit that outlived it would apply to another client of PgBouncer. */
async function readThrough(pool: pg.Pool, text: string, values: unknown[]): Promise<readonly unknown[]> {
  const client = await pool.connect();
  try {
    await run(client, `BEGIN READ ONLY; ${limitStatements(readingTime)}`, [], readingTime);
    const rows = await run(client, text, values, readingTime);
    await run(client, 'COMMIT', [], readingTime);
    client.release();
    return rows;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** Limits each statement of the present transaction on the server (ms); null for no limit, whatever the server's own default. */
export function limitStatements(timeout: number | null): string {
  return `SET LOCAL statement_timeout = ${timeout ?? 0}`;
}

function connection(rows: (text: string, values: unknown[]) => Promise<readonly unknown[]>): Connection {
  return {
    run: ({ sql: text, parameters }) => rows(text, [...parameters]),
    async insert({ sql: text, parameters }) {
      const [made] = await rows(`${text} returning id`, [...parameters]);
      return (made as { id: number } | undefined)?.id ?? null;
    },
  };
}

/** Runs one statement. `patience` in ms; null for no limit. */
async function run(
  client: pg.PoolClient,
  text: string,
  values: unknown[],
  patience: number | null,
): Promise<readonly unknown[]> {
  const limit = patience === null ? {} : { query_timeout: patience };
  return (await client.query({ text, values, ...limit })).rows;
}

function codeOf(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : '';
}

/** Failures below the protocol: the socket's own, and the driver's words for a connection that is no more. */
function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof pg.DatabaseError) return false;
  return 'code' in error || /connection|terminated|timeout/i.test(error.message);
}
