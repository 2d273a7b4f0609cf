import type { Kysely } from 'kysely';
import type { DeliveryRow, Tally } from '../../tally/tally.ts';
import type { Connection } from '../dialect/dialect.ts';
import { preparedInsert, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** The delivery log and its unique keys, for use inside a transaction of `connection`. */
export function deliveryLogIn(
  db: Kysely<Tables>,
  connection: Connection,
): Pick<Tally, 'insertDelivery' | 'updateDelivery' | 'hasEvent'> {
  const insertDelivery = preparedInsert<DeliveryRow>()((argument) =>
    db
      .insertInto('deliveries')
      .values({
        received_at: argument('receivedAt'),
        family: argument('family'),
        listing: argument('listing'),
        kind: argument('kind'),
        outcome: argument('outcome'),
        reason: argument('reason'),
        user_id: argument('userId'),
        credits: argument('credits'),
        event_key: argument('eventKey'),
        body: argument('body'),
      })
      .onConflict((conflict) => conflict.column('event_key').doNothing()),
  );

  return {
    insertDelivery: (delivery) => insertDelivery(connection, delivery),

    async updateDelivery(id, delivery) {
      if (delivery.eventKey !== null) {
        const [taken] = await run(
          connection,
          db.selectFrom('deliveries').select('id').where('event_key', '=', delivery.eventKey),
        );
        if (taken !== undefined) return false;
      }
      const { listing, kind, outcome, reason, userId: user_id, credits, eventKey: event_key } = delivery;
      const rewritten = await run(
        connection,
        db
          .updateTable('deliveries')
          .set({ listing, kind, outcome, reason, user_id, credits, event_key })
          .where('id', '=', id)
          .where('outcome', '=', 'quarantined')
          .returning('id'),
      );
      return rewritten.length > 0;
    },

    async hasEvent(eventKeys) {
      const known = db.selectFrom('deliveries').select('id').where('event_key', 'in', eventKeys).limit(1);
      return (await run(connection, known)).length > 0;
    },
  };
}
