import { type Compilable, PostgresDialect } from 'kysely';
import pg from 'pg';
import { limitStatements, types } from '../dialect/postgres.ts';
import { queryBuilder } from '../query-builder.ts';
import type { Snapshot } from './snapshot.ts';

/** How long the server may take to let us in (ms). */
const connectionPatience = 3_000;
/** The audit of a large ledger takes longer than anything that the bot itself asks (ms). */
const statementPatience = 15 * 60_000;

/** A snapshot of a PostgreSQL database. PostgreSQL: "Repeatable Read Isolation Level". */
export async function postgresSnapshot(url: string): Promise<Snapshot> {
  const client = new pg.Client({
    connectionString: url,
    types,
    connectionTimeoutMillis: connectionPatience,
  });
  // A connection that breaks while nobody asks anything is told by the next question.
  client.on('error', () => {});
  await client.connect();
  await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${limitStatements(statementPatience)}`);
  // The first question fixes the moment.
  await client.query('SELECT 1');
  return {
    db: queryBuilder({
      kysely: new PostgresDialect({ pool: async () => Promise.reject(new Error('It compiles only.')) }),
    }),
    async run<Row>(query: Compilable<Row>) {
      const { sql, parameters } = query.compile();
      return (await client.query(sql, [...parameters])).rows as Row[];
    },
    async tables() {
      const { rows } = await client.query(
        'SELECT tablename AS name FROM pg_catalog.pg_tables WHERE schemaname = ANY (current_schemas(false))',
      );
      return rows.map(({ name }) => String(name));
    },
    integrityErrors: async () => [],
    close: () => client.end(),
  };
}
