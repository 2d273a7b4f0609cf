import type { Kysely } from 'kysely';
import type { DeliveryRow, Tally } from '../../tally/tally.ts';
import type { Connection } from '../dialect/dialect.ts';
import { preparedInsert, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import { ledgerWrites } from './ledger.ts';
import { orderWrites } from './orders.ts';
import { enqueueWrites } from './outbox.ts';

/**
 * The port with which a delivery is recorded: log, ledger, orders and outbox, inside one transaction of `connection`.
 */
export function tallyWrites(db: Kysely<Tables>, connection: Connection): Tally {
  return {
    ...deliveryWrites(db, connection),
    ...ledgerWrites(db, connection),
    ...orderWrites(db, connection),
    ...enqueueWrites(db, connection),
  };
}

/** The delivery log and its unique keys. */
function deliveryWrites(
  db: Kysely<Tables>,
  connection: Connection,
): Pick<Tally, 'insertDelivery' | 'updateDelivery' | 'hasEvent'> {
  const insertDelivery = preparedInsert<DeliveryRow>()((placeholder) =>
    db
      .insertInto('deliveries')
      .values({
        received_at: placeholder('receivedAt'),
        family: placeholder('family'),
        listing: placeholder('listing'),
        kind: placeholder('kind'),
        outcome: placeholder('outcome'),
        reason: placeholder('reason'),
        user_id: placeholder('userId'),
        credits: placeholder('credits'),
        event_key: placeholder('eventKey'),
        body: placeholder('body'),
      })
      .onConflict((conflict) => conflict.column('event_key').doNothing()),
  );

  async function hasEvent(eventKeys: readonly string[]): Promise<boolean> {
    const recorded = db.selectFrom('deliveries').select('id').where('event_key', 'in', eventKeys).limit(1);
    return (await run(connection, recorded)).length > 0;
  }

  return {
    insertDelivery: (delivery) => insertDelivery(connection, delivery),

    async updateDelivery(id, delivery) {
      const { listing, kind, outcome, reason, userId: user_id, credits, eventKey: event_key } = delivery;
      if (event_key !== null && (await hasEvent([event_key]))) return false;
      const updatedRows = await run(
        connection,
        db
          .updateTable('deliveries')
          .set({ listing, kind, outcome, reason, user_id, credits, event_key })
          .where('id', '=', id)
          .where('outcome', '=', 'quarantined')
          .returning('id'),
      );
      return updatedRows.length > 0;
    },

    hasEvent,
  };
}
