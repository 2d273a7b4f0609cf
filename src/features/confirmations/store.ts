import { run } from '../../core/store/query-builder.ts';
import type { Sql, SqlClient } from '../../core/store/sql-module.ts';
import type { Confirmation } from './effects.ts';
import { voteOf } from './tables.ts';

export const reads = {};

async function forgetWaiting(
  { db, connection }: Pick<Sql, 'db' | 'connection'>,
  { listing, userId }: Confirmation,
  deliveryId: number,
): Promise<void> {
  const waiting = db.deleteFrom('confirmations').where('vote', '=', voteOf(listing, userId));
  await run(connection, waiting.where('delivery_id', '=', deliveryId));
}

export const writes = {
  /** Leaves the delivery to the owner: a later one is another vote. */
  async leave({ db, connection }: Sql, { listing, userId }: Confirmation, deliveryId: number, reason: string) {
    const delivery = db.updateTable('deliveries').where('id', '=', deliveryId).where('outcome', '=', 'quarantined');
    await run(connection, delivery.set({ reason }));
    await forgetWaiting({ db, connection }, { listing, userId }, deliveryId);
  },

  /** Notes that the delivery waits no longer, whatever became of it: a later one is another vote. */
  forgetWaiting,
};

export type ConfirmationStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;
