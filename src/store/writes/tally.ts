import type { Kysely } from 'kysely';
import { digestOf } from '../../tally/idempotency-key.ts';
import type { DeliveryRow, Tally } from '../../tally/tally.ts';
import type { Connection } from '../dialect/dialect.ts';
import { preparedInsert, preparedQuery, run } from '../query-builder.ts';
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
    db.insertInto('deliveries').values({
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
    }),
  );
  const insertEventKey = preparedQuery<{ key: Uint8Array }>()((placeholder) =>
    db
      .insertInto('event_keys')
      .values({ key: placeholder('key') })
      .onConflict((conflict) => conflict.column('key').doNothing())
      .returning('key'),
  );

  async function claimEvent(eventKey: string | null): Promise<boolean> {
    return eventKey === null || (await insertEventKey(connection, { key: digestOf(eventKey) })).length > 0;
  }

  async function hasEvent(eventKeys: readonly string[]): Promise<boolean> {
    const recorded = db.selectFrom('event_keys').select('key').where('key', 'in', eventKeys.map(digestOf)).limit(1);
    return (await run(connection, recorded)).length > 0;
  }

  return {
    insertDelivery: async (delivery) =>
      (await claimEvent(delivery.eventKey)) ? insertDelivery(connection, delivery) : null,

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
      return updatedRows.length > 0 && claimEvent(event_key);
    },

    hasEvent,
  };
}
