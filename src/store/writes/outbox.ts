import type { Kysely, Selectable } from 'kysely';
import type { Effect } from '../../outbox/effect.ts';
import { type ClaimFilter, maxDueAheadMs, type Outbox } from '../../outbox/outbox.ts';
import type { Connection } from '../dialect/dialect.ts';
import { parseAnnouncement } from '../json-columns.ts';
import { literal, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** The first waiting effect in the order of due times. */
export function firstWaiting(db: Kysely<Tables>) {
  const waiting = db.selectFrom('effects').where('state', '=', literal('waiting'));
  return waiting.orderBy('due_at').orderBy('id').limit(1);
}

/** Skips no effects. */
export const noFilter: ClaimFilter = { excludedChannelIds: [], skipUntil: 0 };

/** The first effect that is due and matches the filter. It determines the channel and the message of a claim. */
export async function findFirstDue(db: Kysely<Tables>, connection: Connection, now: number, filter: ClaimFilter) {
  const { excludedChannelIds, skipUntil } = filter;
  const dueQuery = firstWaiting(db).where('due_at', '<=', now).select(['id', 'channel_id', 'nonce', 'created_at']);
  const filteredQuery = dueQuery.where('channel_id', 'not in', excludedChannelIds).where('due_at', '>', skipUntil);
  const [first] = await run(connection, excludedChannelIds.length === 0 ? dueQuery : filteredQuery);
  return first;
}

/**
 * The outbox operations that write, for use inside a transaction of `connection`. A lease is the due time moved into
 * the future: if the effect is not finished by then, it is due again. Claims need no row locks, because only one
 * transaction writes at a time.
 */
export function outboxWrites(
  db: Kysely<Tables>,
  connection: Connection,
): Omit<Outbox, 'nextDueAt' | 'waitingSince' | 'sizes'> & { resetDueTimes(now: number): Promise<void> } {
  /**
   * Updates claimed effects that are still waiting: after the lease has ended, another process may have finished them.
   */
  const update = (effects: readonly Effect[]) => {
    const ids = effects.map(({ id }) => id);
    return db.updateTable('effects').where('id', 'in', ids).where('state', '=', literal('waiting'));
  };

  return {
    async claim(now, leaseUntil, limit, filter = noFilter) {
      const first = await findFirstDue(db, connection, now, filter);
      if (first === undefined) return [];
      const waiting = db
        .selectFrom('effects')
        .select('id')
        .where('state', '=', literal('waiting'))
        .where('due_at', '<=', now)
        .where('channel_id', '=', first.channel_id);
      const ids =
        first.nonce === null
          ? waiting.where('nonce', 'is', null).orderBy('due_at').orderBy('id').limit(limit)
          : waiting.where('nonce', '=', first.nonce);
      const rows = await run(
        connection,
        db
          .updateTable('effects')
          .set((eb) => ({
            nonce: first.nonce ?? createNonce(first),
            attempts: eb('attempts', '+', 1),
            due_at: leaseUntil,
            reason: null,
            unsure_since: eb.fn.coalesce('unsure_since', eb.val(now)),
          }))
          .where('id', 'in', ids)
          .returningAll(),
      );
      return rows.map((row) => toEffect(row, now)).sort((a, b) => a.id - b.id);
    },

    async done(effects, now) {
      await run(connection, update(effects).set({ state: 'done', finished_at: now, reason: null }));
    },

    async retry(effects, dueAt, reason) {
      await run(connection, update(effects).set({ due_at: dueAt, reason }));
    },

    async release(effects, dueAt, reason) {
      await run(connection, update(effects).set({ due_at: dueAt, reason }));
      const unsent = effects.filter(isUnsent);
      if (unsent.length === 0) return;
      await run(connection, update(unsent).set({ unsure_since: null }));
      await run(connection, update(unsent).set({ nonce: null }).where('nonce', 'not like', `%${splitSuffix}`));
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
      await run(connection, update(effects).set({ state: 'buried', finished_at: now, reason }));
    },

    async giveUp(effects, now, reason) {
      await run(connection, update(effects).set({ state: 'buried', finished_at: now, reason }));
    },

    /** Makes effects due whose due time is too far ahead: a clock that was ahead has written it. */
    async resetDueTimes(now) {
      const waiting = db.updateTable('effects').set({ due_at: now }).where('state', '=', literal('waiting'));
      await run(connection, waiting.where('due_at', '>', now + maxDueAheadMs));
    },

    async wake(now) {
      // An effect that was attempted and has no reason is leased, and is left alone. One that was never attempted, but
      // is due in the future, was written by a clock that was ahead.
      await run(
        connection,
        db
          .updateTable('effects')
          .set({ due_at: now })
          .where('state', '=', literal('waiting'))
          .where('due_at', '>', now)
          .where((eb) => eb.or([eb('reason', 'is not', null), eb('attempts', '=', literal(0))])),
      );
    },
  };
}

/** Whether no attempt before the current one can have sent it. */
function isUnsent({ possiblySentSince }: Effect): boolean {
  return possiblySentSince === null;
}

/** Suffix of the nonce of an effect that must be a message of its own. */
const splitSuffix = '-s';

/** The nonce of a message (at most 25 characters). The time makes it unique even if the database is created again. */
function createNonce(effect: { id: number; created_at: number }, suffix = ''): string {
  return `${effect.id.toString(36)}-${effect.created_at.toString(36)}${suffix}`;
}

function toEffect(row: Selectable<Tables['effects']>, claimedAt: number): Effect {
  return {
    id: row.id,
    deliveryId: row.delivery_id,
    kind: row.kind,
    channelId: row.channel_id,
    announcement: parseAnnouncement(row.content, row.id),
    attempts: row.attempts,
    createdAt: row.created_at,
    nonce: row.nonce ?? '',
    possiblySentSince: row.unsure_since === claimedAt ? null : row.unsure_since,
  };
}
