import type { Compilable } from 'kysely';
import pg from 'pg';
import { minute, second } from '../../durations.ts';
import { statementBuilder } from '../kysely-on.ts';
import { setStatementTimeout } from '../postgres-connection.ts';
import { postgresDialect } from '../postgres-dialect.ts';
import { types, withVerifiedTls } from '../postgres-pool.ts';
import type { DatabaseSnapshot } from './snapshot.ts';

const connectTimeoutMs = 3 * second;
/** Longer than the programs' own timeouts, for the audit of a large database. */
const statementTimeoutMs = 15 * minute;

/** A snapshot of a PostgreSQL database. PostgreSQL: "Repeatable Read Isolation Level". */
export async function postgresSnapshot<Tables>(url: string): Promise<DatabaseSnapshot<Tables>> {
  const client = new pg.Client({
    connectionString: withVerifiedTls(url),
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
    db: statementBuilder(postgresDialect),
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
