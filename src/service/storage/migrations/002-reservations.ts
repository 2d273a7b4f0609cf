import { type Kysely, sql } from 'kysely';

/** The counted requests as one row per key and process, instead of a row per request. What was counted stays counted. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(database);
}

const statements = [
  `create table request_reservations (
    key_id integer not null, holder text not null, counted_json text not null, reserved integer not null,
    usable_until integer not null, counts_until integer not null, primary key (key_id, holder)
  ) strict`,
  `insert into request_reservations
    select key_id, 'earlier version', json_group_array(at), 0, 0, max(at) from requests group by key_id`,
  `drop table requests`,
];
