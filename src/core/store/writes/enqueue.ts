import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import { serializeContent } from '../../outbox/effect-kind.ts';
import type { NewEffect, Outbox } from '../../outbox/outbox.ts';
import { run } from '../query-builder.ts';
import { isPlanned } from '../recording/changes.ts';
import { insertPlanned } from '../recording/queries.ts';
import { noDelivery, type Tables } from '../tables.ts';

/** Adds effects to the outbox, now or when they are due, for use inside a transaction of `connection`. */
export function enqueueWrites(
  db: Kysely<Tables>,
  connection: Connection,
): Pick<Outbox, 'enqueue' | 'enqueuePlanned' | 'enqueueReport'> {
  async function enqueue(effects: readonly NewEffect[]): Promise<void> {
    for (const effect of effects) {
      await run(connection, isPlanned(effect) ? insertPlanned(db, effect) : insertEffect(db, effect));
    }
  }

  return {
    enqueue,

    async enqueuePlanned(now, limit) {
      const planned = db.selectFrom('planned_effects').selectAll().where('due_at', '<=', now);
      const due = await run(connection, planned.orderBy('due_at').orderBy('id').limit(limit).forUpdate().skipLocked());
      if (due.length === 0) return [];
      const rows = due.map(({ delivery_id: deliveryId, kind, queue, content }) => {
        const waiting = { state: 'waiting', attempts: 0, due_at: now, created_at: now } as const;
        return { ...waiting, delivery_id: deliveryId ?? noDelivery, kind, queue, content };
      });
      await run(connection, db.insertInto('effects').values(rows));
      const ids = due.map(({ id }) => id);
      await run(connection, db.deleteFrom('planned_effects').where('id', 'in', ids));
      return due.map(({ queue }) => queue);
    },

    async enqueueReport(key, effect) {
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
  const { deliveryId, kind, queue, createdAt, traceparent = null } = effect;
  return db.insertInto('effects').values({
    ...{ delivery_id: deliveryId ?? noDelivery, kind, queue, content: serializeContent(effect) },
    ...{ state: 'waiting', attempts: 0, due_at: createdAt, created_at: createdAt, traceparent },
  });
}
