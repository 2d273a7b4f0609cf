import type { Kysely } from 'kysely';
import type { Migration } from '../../../database/migrations/migration.ts';

/** The processes that count requests in a limit file, and the ids of their files. */
export const limitHolders: Migration = {
  compatible: true,
  async up(database: Kysely<unknown>): Promise<void> {
    await database.schema
      .createTable('limit_holders')
      .addColumn('holder', 'text', (column) => column.primaryKey())
      .addColumn('file_id', 'text', (column) => column.notNull())
      .execute();
  },
};
