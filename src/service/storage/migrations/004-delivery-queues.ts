import { type Kysely, sql } from 'kysely';

/** Indexes by which the dispatcher finds due deliveries, however many are stored or wait for one webhook. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(database);
}

const statements = [
  `create index deliveries_by_webhook on deliveries (listing_id, family, next_attempt_at) where state = 'waiting'`,
  'create index deliveries_leased on deliveries (leased_until) where leased_until is not null',
];
