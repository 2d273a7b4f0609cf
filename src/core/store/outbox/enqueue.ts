import type { Kysely } from 'kysely';
import { serializeContent } from '../../outbox/effect-kind.ts';
import type { NewEffect } from '../../outbox/outbox.ts';
import { assertOwnQueue } from '../../outbox/own-queue.ts';
import { run, type SqlAccess } from '../query-builder.ts';
import { insertPlanned } from '../recording/queries.ts';
import { isPlanned } from '../recording/unit-of-work.ts';
import { noDelivery, type Tables } from '../tables.ts';

/** Adds effects to the outbox, now or when they are due. */
export async function enqueue({ db, connection }: SqlAccess, effects: readonly NewEffect[]): Promise<void> {
  for (const effect of effects) {
    assertOwnQueue(effect);
    await run(connection, isPlanned(effect) ? insertPlanned(db, effect) : insertEffect(db, effect));
  }
}

function insertEffect(db: Kysely<Tables>, effect: NewEffect) {
  const { deliveryId, kind, queue, createdAt, traceparent = null } = effect;
  return db.insertInto('effects').values({
    delivery_id: deliveryId ?? noDelivery,
    kind,
    queue,
    content: serializeContent(effect),
    state: 'waiting',
    attempts: 0,
    due_at: createdAt,
    created_at: createdAt,
    traceparent,
  });
}
