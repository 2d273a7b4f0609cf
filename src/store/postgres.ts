import { PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { Dialect } from './dialect.ts';

/** The key of the advisory lock that makes one transaction at a time the writer, over all processes. Any constant number does. */
const writerLock = 7_411_700;

const bigint = 20;
/** Counts and times come as bigint, which JavaScript's numbers hold to 2^53. */
export const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === bigint ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};

/** PostgreSQL, for more than one process. */
export function postgres(url: string): Dialect {
  const pool = new pg.Pool({
    connectionString: url,
    max: 8,
    types,
    connectionTimeoutMillis: 3_000,
    statement_timeout: 10_000,
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => {});
  let writer: pg.PoolClient | undefined;

  async function leave(command: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    const client = writer;
    writer = undefined;
    try {
      await client?.query(command);
      client?.release();
    } catch (error) {
      client?.release(true);
      throw error;
    }
  }

  return {
    clustered: sql``,
    id: { type: 'bigint', build: (column) => column.primaryKey().generatedByDefaultAsIdentity().notNull() },
    kysely: new PostgresDialect({ pool: new pg.Pool({ connectionString: url, max: 1, types }) }),
    reading: { run: async (query) => (await pool.query(query.sql, [...query.parameters])).rows },
    writing: {
      run: async (query) => {
        if (writer === undefined) throw new Error('A statement outside its transaction.');
        return (await writer.query(query.sql, [...query.parameters])).rows;
      },
      begin: async () => {
        writer = await pool.connect();
        await writer.query('BEGIN');
        await writer.query("SET LOCAL lock_timeout = '3s'");
        await writer.query(`SELECT pg_advisory_xact_lock(${writerLock})`);
      },
      commit: () => leave('COMMIT'),
      rollback: () => leave('ROLLBACK'),
    },
    isBusy: (error) => codeOf(error) === '55P03',
    isUnavailable: (error) => /^(53|57|58|08|25006)/.test(codeOf(error)) || isConnectionFailure(error),
    close: () => pool.end(),
  };
}

function codeOf(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : '';
}

/** Failures below the protocol: the socket's own, and the driver's words for a connection that is no more. */
function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof pg.DatabaseError) return false;
  return 'code' in error || /connection|terminated|timeout/i.test(error.message);
}
