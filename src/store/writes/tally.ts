import type { Kysely } from 'kysely';
import type { NewEffect } from '../../outbox/outbox.ts';
import type { Tally } from '../../tally/tally.ts';
import type { Connection } from '../dialect/dialect.ts';
import { literal, preparedQuery } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import { deliveryLogIn } from './delivery-log.ts';
import { ledgerWrites } from './ledger.ts';
import { orderWrites } from './orders.ts';

/** The tally over SQL, for use inside a transaction of `connection`. */
export function tallyWrites(db: Kysely<Tables>, connection: Connection): Tally {
  const insertEffect = preparedQuery<Omit<NewEffect, 'announcement'> & { content: string }>()((argument) =>
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
    ...ledgerWrites(db, connection),
    ...orderWrites(db, connection),

    async enqueue({ announcement, ...effect }) {
      await insertEffect(connection, { ...effect, content: JSON.stringify(announcement) });
    },
  };
}
