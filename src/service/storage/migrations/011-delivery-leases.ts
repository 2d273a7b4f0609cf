import { type Kysely, sql } from 'kysely';
import type { Migration } from '../../../platform/database/migrations/migration.ts';

/**
 * Who leases a delivery, so that a process whose lease has ended cannot settle what another process sends meanwhile; and
 * an index of finished deliveries, by which old ones are deleted without reading all.
 */
export const deliveryLeases: Migration = {
  compatible: true,
  async up(database: Kysely<unknown>): Promise<void> {
    await database.schema.alterTable('deliveries').addColumn('lease_id', 'text').execute();
    await database.schema
      .createIndex('deliveries_finished')
      .on('deliveries')
      .column('created_at')
      .where(sql.ref('state'), '!=', sql.lit('waiting'))
      .execute();
  },
};
