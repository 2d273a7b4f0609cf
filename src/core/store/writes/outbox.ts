import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import type { ClaimedEffect } from '../../outbox/effect.ts';
import { type Contents, type EffectFormats, parseContent, type UnreadableContents } from '../../outbox/effect-kind.ts';
import type { Outbox } from '../../outbox/outbox.ts';
import { literal, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import { waitingIn, waitingQueues } from '../waiting-queues.ts';
import { createNonce } from './claim.ts';

/** The outbox operations that store the result of an attempt. */
type OutboxResults = Pick<
  Outbox,
  'done' | 'retry' | 'release' | 'park' | 'buryOlder' | 'split' | 'bury' | 'giveUp' | 'wake'
>;

/** The outbox operations on effects that are in their queues, for use inside a transaction of `connection`. */
export function outboxWrites(db: Kysely<Tables>, connection: Connection, formats: EffectFormats): OutboxResults {
  /**
   * Updates claimed effects that are still waiting: after the lease has ended, another process may have finished them.
   */
  const update = (effects: readonly Pick<ClaimedEffect, 'id'>[]) => {
    const ids = effects.map(({ id }) => id);
    return db.updateTable('effects').where('id', 'in', ids).where('state', '=', literal('waiting'));
  };

  /** The id of a forgotten member is deleted with the contents. */
  async function eraseContents(effects: readonly EffectToFail[]): Promise<void> {
    const erased = effects.filter((effect) => effect.kind === 'role' && effect.content.erase === true);
    if (erased.length > 0) await run(connection, update(erased).set({ content: '{}' }));
  }

  /** Otherwise the grants would wait for an effect that is no more. */
  async function parkGrants(effects: readonly EffectToFail[]): Promise<void> {
    for (const effect of effects) {
      if (effect.kind !== 'role') continue;
      const { userId, role } = effect.content;
      const waiting = db.updateTable('grants').set({ state: 'parked' }).where('state', '=', literal('pending'));
      await run(connection, waiting.where('user_id', '=', userId).where('role', '=', role));
    }
  }

  /** Before an attempt, the effects can join others, unless they may have been sent. */
  async function releaseUnsent(effects: readonly ClaimedEffect[]): Promise<void> {
    const unsent = effects.filter(isUnsent);
    if (unsent.length === 0) return;
    await run(connection, update(unsent).set({ unsure_since: null }));
    await run(connection, update(unsent).set({ nonce: null }).where('nonce', 'not like', `%${splitSuffix}`));
  }

  async function fail(effects: readonly EffectToFail[], now: number, reason: string): Promise<void> {
    await parkGrants(effects);
    await eraseContents(effects);
    await run(connection, update(effects).set({ state: 'buried', finished_at: now, reason }));
  }

  return {
    async done(effects, now) {
      await eraseContents(effects);
      await run(connection, update(effects).set({ state: 'done', finished_at: now, reason: null }));
    },

    async retry(effects, dueAt, reason) {
      await run(connection, update(effects).set({ due_at: dueAt, reason }));
    },

    async release(effects, dueAt, reason) {
      await run(connection, update(effects).set({ due_at: dueAt, reason }));
      await releaseUnsent(effects);
    },

    async park(effects, queue, now, reason) {
      // The others were due earlier, so that each attempt is one with another effect.
      await run(connection, update(effects).set({ queue, due_at: now, reason }));
      await releaseUnsent(effects);
    },

    async buryOlder(queue, before, now, reason, limit) {
      const old = waitingIn(db).where('queue', '=', queue).where('due_at', '<=', now).where('created_at', '<', before);
      const rows = await run(connection, old.select(['id', 'kind', 'content']).orderBy('due_at').limit(limit));
      if (rows.length === 0) return 0;
      const effects = rows.map(({ id, kind, content }) => ({ id, ...parseContent(formats, kind, content) }));
      await fail(effects, now, reason);
      return effects.length;
    },

    async split(effects, reason) {
      for (const effect of effects) {
        const nonce = createNonce({ id: effect.id, created_at: effect.createdAt }, splitSuffix);
        await run(connection, update([effect]).set({ nonce, due_at: effect.createdAt, reason, unsure_since: null }));
      }
    },

    async bury(effects, now, reason) {
      const unsent = effects.filter(isUnsent);
      if (unsent.length > 0) await run(connection, update(unsent).set({ unsure_since: null }));
      await fail(effects, now, reason);
    },

    giveUp: fail,

    async wake(now) {
      // An effect that was attempted and has no reason is leased, and is left alone. One that was never attempted, but
      // is due in the future, was written by a clock that was ahead.
      await run(
        connection,
        waitingQueues(db, '')
          .updateTable('effects')
          .set({ due_at: now })
          .where('id', 'in', (eb) =>
            eb
              .selectFrom('queues')
              .innerJoin('effects as postponed', 'postponed.queue', 'queues.name')
              .select('postponed.id')
              .where('postponed.state', '=', literal('waiting'))
              .where('postponed.due_at', '>', now)
              .where((or) =>
                or.or([or('postponed.reason', 'is not', null), or('postponed.attempts', '=', literal(0))]),
              ),
          ),
      );
    },
  };
}

/** What is to be known of an effect to fail it. */
type EffectToFail = { readonly id: number } & (Contents | UnreadableContents);

/** Whether no attempt before the current one can have sent it. */
function isUnsent({ possiblySentSince }: ClaimedEffect): boolean {
  return possiblySentSince === null;
}

/** Suffix of the nonce of an effect that must be a message of its own. */
const splitSuffix = '-s';
