import type { Migration } from '../../../platform/database/migrations/migration.ts';
import { runStatements } from './statements.ts';

const statements = [
  `create index deliveries_by_webhook on deliveries (listing_id, family, next_attempt_at) where state = 'waiting'`,
  'create index deliveries_leased on deliveries (leased_until) where leased_until is not null',
];

/** Indexes by which the dispatcher finds due deliveries, however many are stored or wait for one webhook. */
export const deliveryQueues: Migration = { up: runStatements(statements) };
