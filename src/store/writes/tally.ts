import type { Kysely } from 'kysely';
import type { NewEffect } from '../../outbox/outbox.ts';
import type { Tally } from '../../tally/tally.ts';
import type { Connection } from '../dialect/dialect.ts';
import { literal, statement } from '../statement.ts';
import type { Tables } from '../tables.ts';
import { accountsIn } from './accounts.ts';
import { deliveryLogIn } from './delivery-log.ts';
import { ordersIn } from './orders.ts';

/** The tally over SQL, for use inside a transaction of `connection`. */
export function tallyIn(db: Kysely<Tables>, connection: Connection): Tally {
  const insertEffect = statement<Omit<NewEffect, 'announcement'> & { content: string }>()((argument) =>
    db.insertInto('effects').values({
      delivery_id: argument('deliveryId'),
      kind: argument('kind'),
      channel_id: argument('channelId'),
      content: argument('content'),
      state: literal('waiting'),
      attempts: literal(0),
      due_at: argument('createdAt'),
      created_at: argument('createdAt'),
    }),
  );

  return {
    ...deliveryLogIn(db, connection),
    ...accountsIn(db, connection),
    ...ordersIn(db, connection),

    async enqueue({ announcement, ...effect }) {
      await insertEffect(connection, { ...effect, content: JSON.stringify(announcement) });
    },
  };
}
