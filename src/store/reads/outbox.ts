import { setImmediate as yieldToRequests } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { maxDueAheadMs, type Outbox } from '../../outbox/outbox.ts';
import type { Connection } from '../dialect/dialect.ts';
import { literal, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import { waitingChannels, waitingIn } from '../waiting-channels.ts';
import type { Write } from '../writes/writes.ts';

/** Channels read by one query of {@link Outbox.waitingSince}: about 1 ms, because SQLite blocks the thread. */
const channelsPerQuery = 100;

/** Waiting effects counted by one query of {@link Outbox.sizes}: about 1 ms. */
export const effectsPerCount = 5_000;

/** Rows read by {@link Outbox.newEffects}: more than two seconds' deliveries. */
const maxNewEffects = 20_000;

/** The outbox port over SQL. */
export function sqlOutbox(db: Kysely<Tables>, reading: Connection, write: Write): Outbox {
  return {
    claim: (channelId, now, leaseUntil, limit) => write('claim', channelId, now, leaseUntil, limit),
    done: (effects, now) => write('done', effects, now),
    retry: (effects, dueAt, reason) => write('retry', effects, dueAt, reason),
    release: (effects, dueAt, reason) => write('release', effects, dueAt, reason),
    split: (effects, reason) => write('split', effects, reason),
    bury: (effects, now, reason) => write('bury', effects, now, reason),
    giveUp: (effects, now, reason) => write('giveUp', effects, now, reason),
    wake: (now) => write('wake', now),

    async nextDueAt(channelId, now) {
      const dueTimes = waitingIn(db).where('channel_id', '=', channelId).select('due_at').limit(1);
      const [first] = await run(reading, dueTimes.orderBy('due_at').orderBy('id'));
      if (first === undefined || first.due_at <= now) return first?.due_at ?? null;
      const [last] = await run(reading, dueTimes.orderBy('due_at', 'desc').orderBy('id', 'desc'));
      return dueAtOf(first.due_at, last?.due_at ?? first.due_at, now);
    },

    async channelsAfter(channelId, limit, now) {
      const channels = waitingChannels(db, channelId, limit)
        .selectFrom('channels')
        .where('channels.id', 'is not', null);
      const rows = await run(
        reading,
        channels.select(['channels.id']).select((eb) => {
          const dueTimes = waitingIn(db).whereRef('channel_id', '=', eb.ref('channels.id')).select('due_at').limit(1);
          return [
            dueTimes.orderBy('due_at').orderBy('id').as('firstDueAt'),
            dueTimes.orderBy('due_at', 'desc').orderBy('id', 'desc').as('lastDueAt'),
          ];
        }),
      );
      return rows.map(({ id, firstDueAt, lastDueAt }) => {
        return { channelId: id ?? '', dueAt: dueAtOf(firstDueAt ?? now, lastDueAt ?? now, now) };
      });
    },

    async newEffects(afterId) {
      const last = db
        .selectFrom('effects')
        .select(({ fn, lit }) => [
          lit(null).$castTo<string | null>().as('channelId'),
          fn.max<number>('id').as('lastId'),
        ]);
      // With the limit, no planner reads the index of all waiting effects instead of the newest rows.
      const newest = db
        .selectFrom('effects')
        .select(['id', 'channel_id', 'state'])
        .where('id', '>', afterId)
        .orderBy('id', 'desc')
        .limit(maxNewEffects);
      const added = db
        .selectFrom(newest.as('newest'))
        .where('state', '=', literal('waiting'))
        .groupBy('channel_id')
        .select(({ fn }) => ['channel_id as channelId', fn.max<number>('id').as('lastId')]);
      const rows = await run(reading, afterId === null ? last : last.unionAll(added));
      const channelIds = rows.flatMap(({ channelId }) => channelId ?? []);
      return { lastId: rows.find(({ channelId }) => channelId === null)?.lastId ?? 0, channelIds };
    },

    async waitingSince(now) {
      const times: number[] = [];
      let after = '';
      for (;;) {
        const channels = await oldestAfter(after, now);
        times.push(...channels.flatMap(({ first, postponed }) => [first, postponed].filter((time) => time !== null)));
        if (channels.length < channelsPerQuery) return times.length === 0 ? null : Math.min(...times);
        after = channels.at(-1)?.id ?? '';
        await yieldToRequests();
      }
    },

    async sizes() {
      const buried = db.selectFrom('effects').where('state', '=', literal('buried'));
      const [row] = await run(reading, buried.select(db.fn.countAll<number>().as('count')));
      return { waiting: await countWaiting(), buried: row?.count ?? 0 };
    },
  };

  /** Counts in slices of the index, because there may be a million, and SQLite blocks the thread. */
  async function countWaiting(): Promise<number> {
    let count = 0;
    let position = { channel_id: '', due_at: 0, id: 0 };
    for (;;) {
      const rest = waitingIn(db).where(
        sql<boolean>`(channel_id, due_at, id) > (${position.channel_id}, ${position.due_at}, ${position.id})`,
      );
      const slice = rest.select(['channel_id', 'due_at', 'id']).orderBy('channel_id').orderBy('due_at').orderBy('id');
      const [last] = await run(reading, slice.offset(effectsPerCount - 1).limit(1));
      if (last === undefined) {
        const [row] = await run(reading, rest.select(db.fn.countAll<number>().as('count')));
        return count + (row?.count ?? 0);
      }
      count += effectsPerCount;
      position = last;
      await yieldToRequests();
    }
  }

  /** Of each channel, when its oldest effects were stored: either the first in its queue, or one that was postponed. */
  function oldestAfter(channelId: string, now: number) {
    const channels = waitingChannels(db, channelId, channelsPerQuery).selectFrom('channels').select('channels.id');
    const oldest = channels.where('channels.id', 'is not', null).select((eb) => {
      const waiting = waitingIn(db).whereRef('channel_id', '=', eb.ref('channels.id'));
      const postponed = waiting.where('due_at', '>', now);
      return [
        waiting.select('created_at').orderBy('due_at').orderBy('id').limit(1).as('first'),
        postponed.select(({ fn }) => fn.min<number | null>('created_at').as('since')).as('postponed'),
      ];
    });
    return run(reading, oldest);
  }
}

/** A due time too far ahead was written by a clock that was ahead, and counts as due (see {@link maxDueAheadMs}). */
function dueAtOf(firstDueAt: number, lastDueAt: number, now: number): number {
  return lastDueAt > now + maxDueAheadMs ? now : firstDueAt;
}
