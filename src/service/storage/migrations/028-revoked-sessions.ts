import type { Kysely } from 'kysely';
import type { Migration } from '../../../platform/database/migrations/migration.ts';

/** Sessions that members have ended before they expire. */
export const revokedSessions: Migration = {
  compatible: true,
  async up(database: Kysely<unknown>): Promise<void> {
    await database.schema
      .createTable('revoked_sessions')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};
