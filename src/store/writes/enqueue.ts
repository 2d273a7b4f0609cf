import type { Kysely } from 'kysely';
import type { NewEffect } from '../../outbox/outbox.ts';
import type { Connection } from '../dialect/dialect.ts';
import { serializeContent } from '../json-columns.ts';
import { run } from '../query-builder.ts';
import { isPlanned } from '../recording/changes.ts';
import { insertPlanned } from '../recording/queries.ts';
import { noDelivery, type Tables } from '../tables.ts';

/** Adds effects to the outbox, for use inside a transaction of `connection`. */
export function enqueueWrites(db: Kysely<Tables>, connection: Connection) {
  async function enqueue(effects: readonly NewEffect[]): Promise<void> {
    for (const effect of effects) {
      await run(connection, isPlanned(effect) ? insertPlanned(db, effect) : insertEffect(db, effect));
    }
  }

  return {
    enqueue,

    /** Adds the effect of a report, unless one was added under the same key before. */
    async enqueueReport(key: string, effect: NewEffect<'ownerReport'>): Promise<void> {
      const report = db.insertInto('reports').values({ key, at: effect.createdAt });
      const added = await run(
        connection,
        report.onConflict((conflict) => conflict.column('key').doNothing()).returning('key'),
      );
      if (added.length > 0) await enqueue([effect]);
    },
  };
}

function insertEffect(db: Kysely<Tables>, effect: NewEffect) {
  const { deliveryId, kind, queue, createdAt } = effect;
  return db.insertInto('effects').values({
    ...{ delivery_id: deliveryId ?? noDelivery, kind, queue, content: serializeContent(effect) },
    ...{ state: 'waiting', attempts: 0, due_at: createdAt, created_at: createdAt },
  });
}
