import type { Kysely } from 'kysely';
import {
  assertOwnQueue,
  type NewEffect,
  type Plan,
  type PlanKey,
  type PlannedEffect,
  serializeContent,
} from '../../outbox/effect-kind.ts';
import { insertMissing, run, type SqlAccess, upsert } from '../query-builder.ts';
import { noDelivery, type Tables } from '../tables.ts';

/** Adds effects to the outbox, or plans them: a plan replaces the one with the same key. */
export async function enqueue(sql: SqlAccess, effects: readonly NewEffect[]): Promise<void> {
  for (const effect of effects) {
    assertOwnQueue(effect);
    const { plan } = effect;
    if (plan === undefined) {
      await run(sql.connection, insertEffect(sql.db, effect));
    } else {
      const { key, ...row } = planRow(effect, plan);
      await upsert(sql, 'planned_effects', { key }, row);
    }
  }
}

/** Plans an effect, unless there is a plan with its key. */
export function planMissing(sql: SqlAccess, effect: PlannedEffect): Promise<void> {
  const { key, ...row } = planRow(effect, effect.plan);
  return insertMissing(sql, 'planned_effects', { key }, row);
}

/** True if any of these plans is stored. */
export async function isPlanned({ db, connection }: SqlAccess, keys: readonly PlanKey[]): Promise<boolean> {
  return (await run(connection, db.selectFrom('planned_effects').select('key').where('key', 'in', keys))).length > 0;
}

/** Withdraws planned effects. */
export async function withdraw({ db, connection }: SqlAccess, keys: readonly PlanKey[]): Promise<void> {
  if (keys.length > 0) await run(connection, db.deleteFrom('planned_effects').where('key', 'in', keys));
}

/** A planned effect as it is stored. */
export function planRow(effect: NewEffect, { key, dueAt: due_at, userId }: Plan) {
  const { deliveryId: delivery_id, kind, queue, createdAt: planned_at } = effect;
  return {
    key,
    user_id: userId ?? null,
    delivery_id,
    kind,
    queue,
    content: serializeContent(effect),
    due_at,
    planned_at,
  };
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
