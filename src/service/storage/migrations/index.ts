import type { SqlDialect } from '../../../platform/database/dialect.ts';
import type { Migration } from '../../../platform/database/migrations/migration.ts';
import { firstTables } from './001-first-tables.ts';
import { reservations } from './002-reservations.ts';
import { counts } from './003-counts.ts';
import { deliveryQueues } from './004-delivery-queues.ts';
import { owners } from './005-owners.ts';
import { moderation } from './007-moderation.ts';
import { abuseLimits } from './008-abuse-limits.ts';
import { discordSignIn } from './009-discord-sign-in.ts';
import { limitHolders } from './010-limit-holders.ts';
import { deliveryLeases } from './011-delivery-leases.ts';
import { revokedSessions } from './028-revoked-sessions.ts';

const all: Readonly<Record<string, (dialect: SqlDialect) => Migration>> = {
  '001-first-tables': firstTables,
  '002-reservations': reservations,
  '003-counts': counts,
  '004-delivery-queues': () => deliveryQueues,
  '005-owners': () => owners,
  '007-moderation': () => moderation,
  '008-abuse-limits': () => abuseLimits,
  '009-discord-sign-in': () => discordSignIn,
  '010-limit-holders': () => limitHolders,
  '011-delivery-leases': () => deliveryLeases,
  '028-revoked-sessions': () => revokedSessions,
};

/** The names of all migrations, oldest first. */
export const migrationNames: readonly string[] = Object.keys(all);

/**
 * Every migration of the service, oldest first. A released migration is never changed. A database of PostgreSQL is
 * created with all of them; one of SQLite may be older.
 */
export function migrations(dialect: SqlDialect): Record<string, Migration> {
  return Object.fromEntries(Object.entries(all).map(([name, migration]) => [name, migration(dialect)]));
}
