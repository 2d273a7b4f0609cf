import type { SqlDialect } from '../../../platform/database/dialect.ts';
import type { Migration } from '../../../platform/database/migrations/migration.ts';
import { runStatements, tableWords } from './statements.ts';

/** The counted requests as one row per key and process, instead of a row per request. What was counted stays counted. */
export function reservations(dialect: SqlDialect): Migration {
  const { integer, strict } = tableWords(dialect);
  const copyRequests = `insert into request_reservations
    select key_id, 'earlier version', json_group_array(at), 0, 0, max(at) from requests group by key_id`;
  return {
    up: runStatements([
      `create table request_reservations (
        key_id ${integer} not null, holder text not null, counted_json text not null, reserved ${integer} not null,
        usable_until ${integer} not null, counts_until ${integer} not null, primary key (key_id, holder)
      )${strict}`,
      // On PostgreSQL there was no earlier version.
      ...(dialect.name === 'sqlite' ? [copyRequests] : []),
      'drop table requests',
    ]),
  };
}
