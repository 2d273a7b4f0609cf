import { type Compilable, PostgresDialect } from 'kysely';
import pg from 'pg';
import { setStatementTimeout } from '../../database/postgres-connection.ts';
import { types } from '../../database/postgres-pool.ts';
import { minute, second } from '../../platform/durations.ts';
import { queryBuilder } from '../query-builder.ts';
import type { Snapshot } from './snapshot.ts';

const connectTimeoutMs = 3 * second;
/** Longer than the bot's own timeouts, for the audit of a large ledger. */
const statementTimeoutMs = 15 * minute;

/** A snapshot of a PostgreSQL database. PostgreSQL: "Repeatable Read Isolation Level". */
export async function postgresSnapshot(url: string): Promise<Snapshot> {
  const client = new pg.Client({
    connectionString: url,
    types,
    connectionTimeoutMillis: connectTimeoutMs,
  });
  // If the connection breaks while idle, the next query rejects.
  client.on('error', () => {});
  await client.connect();
  await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${setStatementTimeout(statementTimeoutMs)}`);
  // The first query takes the snapshot.
  await client.query('SELECT 1');
  return {
    db: queryBuilder({
      kysely: new PostgresDialect({
        pool: async () => Promise.reject(new Error('This instance only compiles statements.')),
      }),
    }),
    async run<Row>(query: Compilable<Row>) {
      const { sql, parameters } = query.compile();
      return (await client.query(sql, [...parameters])).rows as Row[];
    },
    async tables() {
      const { rows } = await client.query<{ name: string }>(
        'SELECT tablename AS name FROM pg_catalog.pg_tables WHERE schemaname = ANY (current_schemas(false))',
      );
      return rows.map(({ name }) => name);
    },
    integrityErrors: async () => [],
    close: () => client.end(),
  };
}
