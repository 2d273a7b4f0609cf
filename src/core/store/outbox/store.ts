import type { ClaimedEffect } from '../../outbox/effect.ts';
import { type Contents, isOf, parseContent, roleKind, type UnreadableContents } from '../../outbox/effect-kind.ts';
import type { OutboxChanges } from '../../outbox/outbox.ts';
import { lockAccountsOf } from '../accounts.ts';
import { literal, preparedStatement, run } from '../query-builder.ts';
import type { Sql, SqlOperations } from '../sql-module.ts';
import { noDelivery } from '../tables.ts';
import { claim, createNonce } from './claim.ts';
import { enqueue } from './enqueue.ts';
import { waitingIn, waitingQueues } from './queues.ts';

export { reads } from './queues.ts';

export const writes: SqlOperations<OutboxChanges> = {
  enqueue,

  async enqueuePlanned({ db, connection }, now, limit) {
    const planned = db.selectFrom('planned_effects').selectAll().where('due_at', '<=', now);
    const due = await run(connection, planned.orderBy('due_at').orderBy('key').limit(limit).forUpdate().skipLocked());
    if (due.length === 0) return [];
    const rows = due.map(({ delivery_id: deliveryId, kind, queue, content }) => {
      const waiting = { state: 'waiting', attempts: 0, due_at: now, created_at: now } as const;
      return { ...waiting, delivery_id: deliveryId ?? noDelivery, kind, queue, content };
    });
    await run(connection, db.insertInto('effects').values(rows));
    const keys = due.map(({ key }) => key);
    await run(connection, db.deleteFrom('planned_effects').where('key', 'in', keys));
    return due.map(({ queue }) => queue);
  },

  async enqueueReport(sql, key, effect) {
    const report = sql.db.insertInto('reports').values({ key, at: effect.createdAt }).returning('key');
    const addOnce = report.onConflict((conflict) => conflict.column('key').doNothing());
    if ((await run(sql.connection, addOnce)).length > 0) await enqueue(sql, [effect]);
  },

  claim,

  async done(sql, effects, now) {
    await eraseContents(sql, effects);
    await finish(sql, { ids: effects.map(({ id }) => id), now });
  },

  async retry(sql, effects, dueAt, reason) {
    await run(sql.connection, update(sql, effects).set({ due_at: dueAt, reason }));
  },

  async release(sql, effects, dueAt, reason) {
    await run(sql.connection, update(sql, effects).set({ due_at: dueAt, reason }));
    await releaseUnsent(sql, effects);
  },

  async park(sql, effects, queue, now, reason) {
    // The others were due earlier, so that each attempt is one with another effect.
    await run(sql.connection, update(sql, effects).set({ queue, due_at: now, reason }));
    await releaseUnsent(sql, effects);
  },

  async buryOlder(sql, queue, before, now, reason, limit) {
    const old = waitingIn(sql.db)
      .where('queue', '=', queue)
      .where('due_at', '<=', now)
      .where('created_at', '<', before);
    const rows = await run(sql.connection, old.select(['id', 'kind', 'content']).orderBy('due_at').limit(limit));
    if (rows.length === 0) return 0;
    const effects = rows.map(({ id, kind, content }) => ({ id, ...parseContent(sql.effects, kind, content) }));
    await fail(sql, effects, now, reason);
    return effects.length;
  },

  async split(sql, effects, reason) {
    for (const effect of effects) {
      const { id, createdAt } = effect;
      const nonce = createNonce({ id, created_at: createdAt }, splitSuffix);
      await run(sql.connection, update(sql, [effect]).set({ nonce, due_at: createdAt, reason, unsure_since: null }));
    }
  },

  async bury(sql, effects, now, reason) {
    const unsent = effects.filter(isUnsent);
    if (unsent.length > 0) await run(sql.connection, update(sql, unsent).set({ unsure_since: null }));
    await fail(sql, effects, now, reason);
  },

  giveUp: fail,

  async wake(sql, now) {
    // An effect that was attempted and has no reason is leased, and is left alone. One that was never attempted, but
    // is due in the future, was written by a clock that was ahead.
    await run(
      sql.connection,
      waitingQueues(sql.db, '')
        .updateTable('effects')
        .set({ due_at: now })
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('queues')
            .innerJoin('effects as postponed', 'postponed.queue', 'queues.name')
            .select('postponed.id')
            .where('postponed.state', '=', literal('waiting'))
            .where('postponed.due_at', '>', now)
            .where((or) => or.or([or('postponed.reason', 'is not', null), or('postponed.attempts', '=', literal(0))])),
        ),
    );
  },

  async requeue({ db, connection }, effectId, now) {
    // With the old nonce Discord might drop it as a repeat, and with the old age it might be buried again.
    const initial = { state: 'waiting', attempts: 0, due_at: now, created_at: now } as const;
    const revive = db.updateTable('effects').set({ ...initial, finished_at: null, nonce: null, reason: null });
    const buried = revive.where('id', '=', effectId).where('state', '=', 'buried').returning('id');
    if ((await run(connection, buried)).length > 0) return 'revived';
    const effects = await run(connection, db.selectFrom('effects').select('id').where('id', '=', effectId));
    return effects.length > 0 ? 'not_buried' : 'unknown';
  },
};

/**
 * Updates claimed effects that are still waiting: after the lease has ended, another process may have finished them.
 */
function update({ db }: Sql, effects: readonly Pick<ClaimedEffect, 'id'>[]) {
  const ids = effects.map(({ id }) => id);
  return updateWaiting(db, ids);
}

function updateWaiting(db: Sql['db'], ids: readonly number[]) {
  return db.updateTable('effects').where('id', 'in', ids).where('state', '=', literal('waiting'));
}

const finish = preparedStatement<{ ids: readonly number[]; now: number }>()((db, placeholder) =>
  updateWaiting(db, placeholder('ids')).set({ state: 'done', finished_at: placeholder('now'), reason: null }),
);

/** The id of a forgotten member is deleted with the contents. */
async function eraseContents(sql: Sql, effects: readonly EffectToFail[]): Promise<void> {
  const erased = effects.filter((effect) => isOf(roleKind, effect) && effect.content.erase === true);
  if (erased.length > 0) await run(sql.connection, update(sql, erased).set({ content: '{}' }));
}

/** Otherwise the grants would wait for an effect that is no more. */
async function parkGrants(sql: Sql, effects: readonly EffectToFail[]): Promise<void> {
  for (const effect of effects) {
    if (!isOf(roleKind, effect)) continue;
    const { userId, role, guildId } = effect.content;
    // A recording that has read the grants must not find them parked without having known: see `applyGrants`.
    await lockAccountsOf(sql.connection, sql.db, userId);
    const waiting = sql.db.updateTable('grants').set({ state: 'parked' }).where('state', '=', literal('pending'));
    const ofRole = waiting.where('user_id', '=', userId).where('role', '=', role);
    await run(sql.connection, ofRole.where('guild_id', '=', guildId));
  }
}

/** Before an attempt, the effects can join others, unless they may have been sent. */
async function releaseUnsent(sql: Sql, effects: readonly ClaimedEffect[]): Promise<void> {
  const unsent = effects.filter(isUnsent);
  if (unsent.length === 0) return;
  await run(sql.connection, update(sql, unsent).set({ unsure_since: null }));
  await run(sql.connection, update(sql, unsent).set({ nonce: null }).where('nonce', 'not like', `%${splitSuffix}`));
}

async function fail(sql: Sql, effects: readonly EffectToFail[], now: number, reason: string): Promise<void> {
  await parkGrants(sql, effects);
  await eraseContents(sql, effects);
  await run(sql.connection, update(sql, effects).set({ state: 'buried', finished_at: now, reason }));
}

/** What is to be known of an effect to fail it. */
type EffectToFail = { readonly id: number } & (Contents | UnreadableContents);

/** Whether no attempt before the current one can have sent it. */
function isUnsent({ possiblySentSince }: ClaimedEffect): boolean {
  return possiblySentSince === null;
}

/** Suffix of the nonce of an effect that must be a message of its own. */
const splitSuffix = '-s';
