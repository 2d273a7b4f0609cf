import { type Kysely, sql } from 'kysely';
import type { SqlDialect } from '../../../platform/database/dialect.ts';
import type { Migration } from '../../../platform/database/migrations/migration.ts';
import { sqliteDialect } from '../../../platform/database/sqlite-dialect.ts';
import { firstTables, reservations } from './001-first-tables.ts';
import { counts } from './003-counts.ts';
import * as additions from './additions.ts';

/**
 * Every migration of the service, oldest first. A released migration is never changed. A database of PostgreSQL is
 * created with all of them; one of SQLite may be older.
 */
export function migrations(dialect: SqlDialect): Record<string, Migration> {
  return {
    '001-first-tables': migration(firstTables(dialect)),
    '002-reservations': migration(reservations(dialect)),
    '003-counts': migration(counts(dialect)),
    '004-delivery-queues': migration(additions.deliveryQueues),
    '005-owners': compatible(additions.owners),
    '007-moderation': compatible(additions.moderation),
    '008-abuse-limits': compatible(additions.abuseLimits),
    '009-discord-sign-in': compatible(additions.discordSignIn),
    '010-limit-holders': migration(additions.limitHolders),
    '011-delivery-leases': compatible(additions.deliveryLeases),
    '028-revoked-sessions': compatible(additions.revokedSessions),
    '029-connect-requests': compatible(additions.connectRequests),
    '030-joining': compatible(additions.joining),
  };
}

/** The names of all migrations, oldest first. */
export const migrationNames: readonly string[] = Object.keys(migrations(sqliteDialect));

function migration(statements: readonly string[]) {
  return {
    async up(database: Kysely<unknown>): Promise<void> {
      for (const statement of statements) await sql.raw(statement).execute(database);
    },
  };
}

function compatible(statements: readonly string[]): Migration {
  return { ...migration(statements), compatible: true };
}
