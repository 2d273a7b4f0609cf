import type { Kysely, Selectable } from 'kysely';
import type { Effect } from '../outbox/effect.ts';
import type { Except, Outbox } from '../outbox/outbox.ts';
import type { Connection } from './dialect.ts';
import { constant, run } from './statement.ts';
import type { Tables } from './tables.ts';

/** How a transaction is had: the work runs while the connection is inside one. */
export type InTransaction = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * The outbox over SQL. The lease is the due time itself, moved into the future: when nobody finishes the effect it comes due again.
 * Claims need no row locks, because only one transaction writes at a time.
 */
export function sqlOutbox(
  db: Kysely<Tables>,
  reading: Connection,
  writing: Connection,
  inTransaction: InTransaction,
): Outbox {
  const ids = (effects: readonly Effect[]) => effects.map(({ id }) => id);
  const update = (effects: readonly Effect[]) => db.updateTable('effects').where('id', 'in', ids(effects));

  /** What waits, in the order in which it is due. */
  const line = db
    .selectFrom('effects')
    .where('state', '=', constant('waiting'))
    .orderBy('due_at')
    .orderBy('id')
    .limit(1);

  async function firstDue(connection: Connection, now: number, { channels, lookedUntil }: Except) {
    const due = line.where('due_at', '<=', now).select(['id', 'channel_id', 'nonce', 'created_at']);
    const others = due.where('channel_id', 'not in', channels).where('due_at', '>', lookedUntil);
    const [first] = await run(connection, channels.length === 0 ? due : others);
    return first;
  }

  return {
    async claim(now, leaseUntil, limit, except = nothing) {
      // The usual case is that nothing is due; it costs no transaction.
      if ((await firstDue(reading, now, except)) === undefined) return [];
      return inTransaction(async () => {
        const first = await firstDue(writing, now, except);
        if (first === undefined) return [];
        const waiting = db
          .selectFrom('effects')
          .select('id')
          .where('state', '=', constant('waiting'))
          .where('due_at', '<=', now)
          .where('channel_id', '=', first.channel_id);
        const chosen =
          first.nonce === null
            ? waiting.where('nonce', 'is', null).orderBy('due_at').orderBy('id').limit(limit)
            : waiting.where('nonce', '=', first.nonce);
        const rows = await run(
          writing,
          db
            .updateTable('effects')
            .set((eb) => ({
              nonce: first.nonce ?? nonceOf(first),
              attempts: eb('attempts', '+', 1),
              due_at: leaseUntil,
              unsure_since: eb.fn.coalesce('unsure_since', eb.val(now)),
            }))
            .where('id', 'in', chosen)
            .returningAll(),
        );
        return rows.map((row) => effectOf(row, now)).sort((a, b) => a.id - b.id);
      });
    },

    async done(effects, now) {
      await inTransaction(() => run(writing, update(effects).set({ state: 'done', finished_at: now, reason: null })));
    },

    async retry(effects, dueAt, reason) {
      await inTransaction(() => run(writing, update(effects).set({ due_at: dueAt, reason })));
    },

    async release(effects, dueAt, reason) {
      await inTransaction(async () => {
        await run(writing, update(effects).set({ due_at: dueAt, reason }));
        const sure = effects.filter(({ unsureSince }) => unsureSince === null);
        if (sure.length === 0) return;
        await run(writing, update(sure).set({ unsure_since: null }));
        await run(writing, update(sure).set({ nonce: null }).where('nonce', 'not like', `%${alone}`));
      });
    },

    async split(effects, reason) {
      await inTransaction(async () => {
        for (const effect of effects) {
          const nonce = nonceOf({ id: effect.id, created_at: effect.createdAt }, alone);
          await run(writing, update([effect]).set({ nonce, due_at: effect.createdAt, reason, unsure_since: null }));
        }
      });
    },

    async bury(effects, now, reason) {
      await inTransaction(() => run(writing, update(effects).set({ state: 'buried', finished_at: now, reason })));
    },

    async wake(now) {
      // What was begun and has no reason yet is under way: its lease stands.
      await inTransaction(() =>
        run(
          writing,
          db
            .updateTable('effects')
            .set({ due_at: now })
            .where('state', '=', constant('waiting'))
            .where('due_at', '>', now)
            .where('reason', 'is not', null),
        ),
      );
    },

    async nextDueAt() {
      const [next] = await run(reading, line.select('due_at'));
      return next?.due_at ?? null;
    },

    async waitingSince(now) {
      const [first] = await run(reading, line.select('created_at'));
      if (first === undefined) return null;
      const [putOff] = await run(
        reading,
        db
          .selectFrom('effects')
          .select(({ fn }) => fn.min<number | null>('created_at').as('since'))
          .where('state', '=', constant('waiting'))
          .where('due_at', '>', now),
      );
      return Math.min(first.created_at, putOff?.since ?? first.created_at);
    },

    async sizes() {
      // One at a time, so that each is counted in an index of its own and never in the table of all that was ever done.
      const size = async (state: 'waiting' | 'buried') => {
        const count = db.selectFrom('effects').select(db.fn.countAll<number>().as('count'));
        const [row] = await run(reading, count.where('state', '=', constant(state)));
        return row?.count ?? 0;
      };
      return { waiting: await size('waiting'), buried: await size('buried') };
    },
  };
}

const nothing: Except = { channels: [], lookedUntil: 0 };

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
    unsureSince: row.unsure_since === claimedAt ? null : row.unsure_since,
  };
}
