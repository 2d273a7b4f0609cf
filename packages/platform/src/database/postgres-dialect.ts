import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely';
import type { SqlDialect } from './dialect.ts';
import { codeOf, isConnectionFailure } from './postgres-connection.ts';

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

export const postgresDialect: SqlDialect = {
  name: 'postgres',
  selectColumn: (table, column) => sql`
    select column_name from information_schema.columns
    where table_schema = current_schema() and table_name = ${table} and column_name = ${column}`,
  reusesShortenedRows: true,
  kysely: {
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
  isBusy: (error) => retryCodes.includes(codeOf(error)),
  isUnavailable: (error) => unavailableCode.test(codeOf(error)) || isConnectionFailure(error),
};
