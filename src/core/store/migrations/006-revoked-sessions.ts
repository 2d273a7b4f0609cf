import type { Kysely } from 'kysely';
import type { Dialect } from '../dialect/dialect.ts';

/** Console sessions that were signed out before they expired. */
export function revokedSessions(dialect: Dialect) {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('revoked_sessions')
        .ifNotExists()
        .addColumn('id', 'text', (column) => column.primaryKey().notNull())
        .addColumn('expires_at', 'bigint', (column) => column.notNull())
        .modifyEnd(dialect.withoutRowid)
        .execute();
    },
  };
}
