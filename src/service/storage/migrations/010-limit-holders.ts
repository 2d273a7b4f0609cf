import type { Kysely } from 'kysely';
import type { Migration } from '../../../platform/database/migrations/migration.ts';

/**
 * The processes that count requests in a limit file, and the ids of their files. An older version would count apart from
 * them.
 */
export const limitHolders: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await database.schema
      .createTable('limit_holders')
      .addColumn('holder', 'text', (column) => column.primaryKey())
      .addColumn('file_id', 'text', (column) => column.notNull())
      .execute();
  },
};
