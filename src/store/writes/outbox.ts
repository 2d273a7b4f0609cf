import type { Kysely, Selectable } from 'kysely';
import type { Effect } from '../../outbox/effect.ts';
import { type ClaimFilter, maxDueAheadMs, type Outbox } from '../../outbox/outbox.ts';
import type { Connection } from '../dialect/dialect.ts';
import { literal, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** The first of what waits, in the order in which it is due. */
export function firstInLine(db: Kysely<Tables>) {
  const waiting = db.selectFrom('effects').where('state', '=', literal('waiting'));
  return waiting.orderBy('due_at').orderBy('id').limit(1);
}

/** What is passed over where nothing is. */
export const nothing: ClaimFilter = { excludedChannelIds: [], skipUntil: 0 };

/** The first effect that is due, if any; it decides the channel and the message that are next. */
export async function firstDue(db: Kysely<Tables>, connection: Connection, now: number, except: ClaimFilter) {
  const { excludedChannelIds: channels, skipUntil: lookedUntil } = except;
  const due = firstInLine(db).where('due_at', '<=', now).select(['id', 'channel_id', 'nonce', 'created_at']);
  const others = due.where('channel_id', 'not in', channels).where('due_at', '>', lookedUntil);
  const [first] = await run(connection, channels.length === 0 ? due : others);
  return first;
}

/**
 * What the outbox writes, inside a transaction of `connection`. The lease is the due time itself, moved into the future: when nobody
 * finishes the effect it comes due again. Claims need no row locks, because only one transaction writes at a time.
 */
export function outboxWrites(
  db: Kysely<Tables>,
  connection: Connection,
): Omit<Outbox, 'nextDueAt' | 'waitingSince' | 'sizes'> & { recall(now: number): Promise<void> } {
  const ids = (effects: readonly Effect[]) => effects.map(({ id }) => id);
  /** Of what was claimed, only what waits still: whose lease ran out may find it finished by somebody else. */
  const update = (effects: readonly Effect[]) =>
    db.updateTable('effects').where('id', 'in', ids(effects)).where('state', '=', literal('waiting'));

  return {
    async claim(now, leaseUntil, limit, except = nothing) {
      const first = await firstDue(db, connection, now, except);
      if (first === undefined) return [];
      const waiting = db
        .selectFrom('effects')
        .select('id')
        .where('state', '=', literal('waiting'))
        .where('due_at', '<=', now)
        .where('channel_id', '=', first.channel_id);
      const chosen =
        first.nonce === null
          ? waiting.where('nonce', 'is', null).orderBy('due_at').orderBy('id').limit(limit)
          : waiting.where('nonce', '=', first.nonce);
      const rows = await run(
        connection,
        db
          .updateTable('effects')
          .set((eb) => ({
            nonce: first.nonce ?? nonceOf(first),
            attempts: eb('attempts', '+', 1),
            due_at: leaseUntil,
            reason: null,
            unsure_since: eb.fn.coalesce('unsure_since', eb.val(now)),
          }))
          .where('id', 'in', chosen)
          .returningAll(),
      );
      return rows.map((row) => effectOf(row, now)).sort((a, b) => a.id - b.id);
    },

    async done(effects, now) {
      await run(connection, update(effects).set({ state: 'done', finished_at: now, reason: null }));
    },

    async retry(effects, dueAt, reason) {
      await run(connection, update(effects).set({ due_at: dueAt, reason }));
    },

    async release(effects, dueAt, reason) {
      await run(connection, update(effects).set({ due_at: dueAt, reason }));
      const sure = effects.filter(wasSure);
      if (sure.length === 0) return;
      await run(connection, update(sure).set({ unsure_since: null }));
      await run(connection, update(sure).set({ nonce: null }).where('nonce', 'not like', `%${alone}`));
    },

    async split(effects, reason) {
      for (const effect of effects) {
        const nonce = nonceOf({ id: effect.id, created_at: effect.createdAt }, alone);
        await run(connection, update([effect]).set({ nonce, due_at: effect.createdAt, reason, unsure_since: null }));
      }
    },

    async bury(effects, now, reason) {
      const sure = effects.filter(wasSure);
      if (sure.length > 0) await run(connection, update(sure).set({ unsure_since: null }));
      await run(connection, update(effects).set({ state: 'buried', finished_at: now, reason }));
    },

    async giveUp(effects, now, reason) {
      await run(connection, update(effects).set({ state: 'buried', finished_at: now, reason }));
    },

    /** Makes due what lies further ahead than anything may be: a clock that was ahead has written it. */
    async recall(now) {
      const waiting = db.updateTable('effects').set({ due_at: now }).where('state', '=', literal('waiting'));
      await run(connection, waiting.where('due_at', '>', now + maxDueAheadMs));
    },

    async wake(now) {
      // What was begun and has no reason is under way: its lease stands. What was never begun was written by a clock that was ahead.
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

/** Whether it surely was not done before the attempt that it was claimed for. */
function wasSure({ possiblySentSince: unsureSince }: Effect): boolean {
  return unsureSince === null;
}

/** Ends the nonce of an effect that has to go as a message of its own. */
const alone = '-s';

/** The nonce of a message (at most 25 characters): unique also against a database that was begun anew. */
function nonceOf(effect: { id: number; created_at: number }, suffix = ''): string {
  return `${effect.id.toString(36)}-${effect.created_at.toString(36)}${suffix}`;
}

function effectOf(row: Selectable<Tables['effects']>, claimedAt: number): Effect {
  return {
    id: row.id,
    deliveryId: row.delivery_id,
    kind: row.kind,
    channelId: row.channel_id,
    announcement: JSON.parse(row.content),
    attempts: row.attempts,
    createdAt: row.created_at,
    nonce: row.nonce ?? '',
    possiblySentSince: row.unsure_since === claimedAt ? null : row.unsure_since,
  };
}
