import type { Kysely, Selectable } from 'kysely';
import type { Effect } from '../../outbox/effect.ts';
import { maxDueAheadMs, type Outbox } from '../../outbox/outbox.ts';
import type { Connection } from '../dialect/dialect.ts';
import { parseAnnouncement } from '../json-columns.ts';
import { literal, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import { waitingChannels, waitingIn } from '../waiting-channels.ts';

/** The outbox without the methods that only read. */
type OutboxChanges = Omit<Outbox, 'nextDueAt' | 'channelsAfter' | 'newEffects' | 'waitingSince' | 'sizes'>;

/**
 * The outbox operations that write, for use inside a transaction of `connection`. A lease is the due time moved into
 * the future: if the effect is not finished by then, it is due again.
 */
export function outboxWrites(db: Kysely<Tables>, connection: Connection): OutboxChanges {
  /**
   * Updates claimed effects that are still waiting: after the lease has ended, another process may have finished them.
   */
  const update = (effects: readonly Effect[]) => {
    const ids = effects.map(({ id }) => id);
    return db.updateTable('effects').where('id', 'in', ids).where('state', '=', literal('waiting'));
  };

  const waitingOf = (channelId: string) => waitingIn(db).where('channel_id', '=', channelId);

  /** The first due effect of a channel. It determines the message of a claim. */
  async function findFirstDue(channelId: string, now: number) {
    const due = waitingOf(channelId).where('due_at', '<=', now).select(['due_at', 'nonce']);
    return (await run(connection, due.orderBy('due_at').orderBy('id').limit(1)))[0];
  }

  /**
   * Makes effects of a channel due whose due time is too far ahead: a clock that was ahead has written it. Returns
   * whether there were any.
   */
  async function resetDueTimes(channelId: string, now: number): Promise<boolean> {
    const waiting = db.updateTable('effects').set({ due_at: now }).where('state', '=', literal('waiting'));
    const tooFarAhead = waiting.where('channel_id', '=', channelId).where('due_at', '>', now + maxDueAheadMs);
    return (await run(connection, tooFarAhead.returning('id'))).length > 0;
  }

  /** Due effects that no message contains yet, except those that another process is claiming. */
  function lockNew(channelId: string, now: number, limit: number) {
    const due = waitingOf(channelId).where('due_at', '<=', now).where('nonce', 'is', null).select(['id', 'created_at']);
    return run(connection, due.orderBy('due_at').orderBy('id').limit(limit).forUpdate().skipLocked());
  }

  /** The effects of an attempted message, which share their due time; empty while another process has any of them. */
  async function lockMessage(channelId: string, dueAt: number, nonce: string) {
    const message = waitingOf(channelId).where('due_at', '=', dueAt).where('nonce', '=', nonce);
    const effects = await run(connection, message.select('id'));
    const locked = await run(connection, message.select(['id', 'created_at']).forUpdate().skipLocked());
    return locked.length === effects.length ? locked : [];
  }

  return {
    async claim(channelId, now, leaseUntil, limit) {
      let due = await findFirstDue(channelId, now);
      if (due === undefined && (await resetDueTimes(channelId, now))) due = await findFirstDue(channelId, now);
      if (due === undefined) return [];
      const { nonce, due_at: dueAt } = due;
      const locked = await (nonce === null ? lockNew(channelId, now, limit) : lockMessage(channelId, dueAt, nonce));
      const [first] = locked;
      if (first === undefined) return [];
      const rows = await run(
        connection,
        db
          .updateTable('effects')
          .set((eb) => ({
            nonce: nonce ?? createNonce(first),
            attempts: eb('attempts', '+', 1),
            due_at: leaseUntil,
            reason: null,
            unsure_since: eb.fn.coalesce('unsure_since', eb.val(now)),
          }))
          .where(
            'id',
            'in',
            locked.map(({ id }) => id),
          )
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

    async wake(now) {
      // An effect that was attempted and has no reason is leased, and is left alone. One that was never attempted, but
      // is due in the future, was written by a clock that was ahead.
      await run(
        connection,
        waitingChannels(db, '')
          .updateTable('effects')
          .set({ due_at: now })
          .where('id', 'in', (eb) =>
            eb
              .selectFrom('channels')
              .innerJoin('effects as postponed', 'postponed.channel_id', 'channels.id')
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
