import { setImmediate as yieldToRequests } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { sql as kyselySql } from 'kysely';
import { maxDueAheadMs, type OutboxReads } from '../../outbox/outbox.ts';
import { type QueueName, targetOfQueue } from '../../outbox/queue.ts';
import { literal, preparedStatement, run } from '../query-builder.ts';
import type { Sql, SqlOperations } from '../sql-module.ts';
import type { Tables } from '../tables.ts';

/** Queues read by one query of {@link Outbox.waitingSince}: about 1 ms, because SQLite blocks the thread. */
const queuesPerQuery = 100;

/** Waiting effects counted by one query of {@link Outbox.sizes}: about 1 ms. */
export const effectsPerCount = 5_000;

/** Rows read by {@link Outbox.newEffects}: more than two seconds' deliveries. */
const maxNewEffects = 20_000;

const findFirst = preparedStatement<{ queue: string }>()((db, placeholder) =>
  dueTimesOf(db, placeholder('queue')).orderBy('due_at').orderBy('id'),
);
const findLast = preparedStatement<{ queue: string }>()((db, placeholder) =>
  dueTimesOf(db, placeholder('queue')).orderBy('due_at', 'desc').orderBy('id', 'desc'),
);

function dueTimesOf(db: Sql['db'], queue: string) {
  return waitingIn(db).where('queue', '=', queue).select('due_at').limit(1);
}

const findQueues = preparedStatement<{ queue: string; limit: number }>()((db, placeholder) =>
  waitingQueues(db, placeholder('queue'), placeholder('limit'))
    .selectFrom('queues')
    .where('queues.name', 'is not', null)
    .select(['queues.name'])
    .select((eb) => {
      const dueTimes = waitingIn(db).whereRef('queue', '=', eb.ref('queues.name')).select('due_at').limit(1);
      return [
        dueTimes.orderBy('due_at').orderBy('id').as('firstDueAt'),
        dueTimes.orderBy('due_at', 'desc').orderBy('id', 'desc').as('lastDueAt'),
      ];
    }),
);

const findPlanned = preparedStatement<{ now: number }>()((db, placeholder) =>
  db.selectFrom('planned_effects').select('key').where('due_at', '<=', placeholder('now')).orderBy('due_at').limit(1),
);

export const reads: SqlOperations<OutboxReads> = {
  async nextDueAt(sql, queue, now) {
    const [first] = await findFirst(sql, { queue });
    if (first === undefined || first.due_at <= now) return first?.due_at ?? null;
    const [last] = await findLast(sql, { queue });
    return dueAtOf(first.due_at, last?.due_at ?? first.due_at, now);
  },

  async queuesAfter(sql, queue, limit, now) {
    const rows = await findQueues(sql, { queue, limit });
    return rows.map(({ name, firstDueAt, lastDueAt }) => {
      return { queue: (name ?? '') as QueueName, dueAt: dueAtOf(firstDueAt ?? now, lastDueAt ?? now, now) };
    });
  },

  async newEffects({ db, connection }, afterId) {
    const last = db
      .selectFrom('effects')
      .select(({ fn, lit }) => [lit(null).$castTo<string | null>().as('queue'), fn.max<number>('id').as('lastId')]);
    // With the limit, no planner reads the index of all waiting effects instead of the newest rows.
    const newest = db
      .selectFrom('effects')
      .select(['id', 'queue', 'state'])
      .where('id', '>', afterId)
      .orderBy('id', 'desc')
      .limit(maxNewEffects);
    const added = db
      .selectFrom(newest.as('newest'))
      .where('state', '=', literal('waiting'))
      .groupBy('queue')
      .select(({ fn }) => ['queue', fn.max<number>('id').as('lastId')]);
    const rows = await run(connection, afterId === null ? last : last.unionAll(added));
    const queues = rows.flatMap(({ queue }) => queue ?? []);
    return { lastId: rows.find(({ queue }) => queue === null)?.lastId ?? 0, queues };
  },

  arePlannedDue: async (sql, now) => (await findPlanned(sql, { now })).length > 0,

  async waitingSince(sql, now, stopped = new Set()) {
    const times: number[] = [];
    let after = '';
    for (;;) {
      const queues = await oldestAfter(sql, after, now);
      const counted = queues.filter(({ name }) => name === null || !stopped.has(targetOfQueue(name)));
      times.push(...counted.flatMap(({ first, postponed }) => [first, postponed].filter((time) => time !== null)));
      if (queues.length < queuesPerQuery) return times.length === 0 ? null : Math.min(...times);
      after = queues.at(-1)?.name ?? '';
      await yieldToRequests();
    }
  },

  async sizes(sql) {
    const { db, connection } = sql;
    const buried = db.selectFrom('effects').where('state', '=', literal('buried'));
    const [row] = await run(connection, buried.select(db.fn.countAll<number>().as('count')));
    return { waiting: await countWaiting(sql), buried: row?.count ?? 0 };
  },
};

/** Counts in slices of the index, because there may be a million, and SQLite blocks the thread. */
async function countWaiting({ db, connection }: Sql): Promise<number> {
  let count = 0;
  let position = { queue: '', due_at: 0, id: 0 };
  for (;;) {
    const rest = waitingIn(db).where(
      kyselySql<boolean>`(queue, due_at, id) > (${position.queue}, ${position.due_at}, ${position.id})`,
    );
    const slice = rest.select(['queue', 'due_at', 'id']).orderBy('queue').orderBy('due_at').orderBy('id');
    const [last] = await run(connection, slice.offset(effectsPerCount - 1).limit(1));
    if (last === undefined) {
      const [row] = await run(connection, rest.select(db.fn.countAll<number>().as('count')));
      return count + (row?.count ?? 0);
    }
    count += effectsPerCount;
    position = last;
    await yieldToRequests();
  }
}

/** Of each queue, when its oldest effects were stored: either the first one, or one that was postponed. */
function oldestAfter({ db, connection }: Sql, after: string, now: number) {
  const queues = waitingQueues(db, after, queuesPerQuery).selectFrom('queues').select('queues.name');
  const oldest = queues.where('queues.name', 'is not', null).select((eb) => {
    const waiting = waitingIn(db).whereRef('queue', '=', eb.ref('queues.name'));
    const postponed = waiting.where('due_at', '>', now);
    return [
      waiting.select('created_at').orderBy('due_at').orderBy('id').limit(1).as('first'),
      postponed.select(({ fn }) => fn.min<number | null>('created_at').as('since')).as('postponed'),
    ];
  });
  return run(connection, oldest);
}

/** A due time too far ahead was written by a clock that was ahead, and counts as due (see {@link maxDueAheadMs}). */
function dueAtOf(firstDueAt: number, lastDueAt: number, now: number): number {
  return lastDueAt > now + maxDueAheadMs ? now : firstDueAt;
}

/** The waiting effects. The index `effects_by_channel` has them by queue and due time. */
export function waitingIn(db: Kysely<Tables>) {
  return db.selectFrom('effects').where('state', '=', literal('waiting'));
}

/**
 * The names of the queues with waiting effects as the table `queues`, for a query that follows: at most `limit` names
 * after `after`, in their order, with an extra row of null after the last one. One index seek per queue, however many
 * effects are waiting.
 */
export function waitingQueues(db: Kysely<Tables>, after: string, limit = 2 ** 31 - 1) {
  return db.withRecursive('queues', (cte) =>
    cte
      .selectFrom('effects')
      .select(({ fn, lit }) => [fn.min<string | null>('queue').as('name'), lit(1).as('position')])
      .where('state', '=', literal('waiting'))
      .where('queue', '>', after)
      .unionAll((union) =>
        union
          .selectFrom('queues')
          .select((eb) => [
            eb
              .selectFrom('effects')
              .select(({ fn }) => fn.min<string | null>('queue').as('next'))
              .where('state', '=', literal('waiting'))
              .whereRef('queue', '>', 'queues.name')
              .as('name'),
            eb('position', '+', 1).as('position'),
          ])
          .where('queues.name', 'is not', null)
          .where('position', '<', limit),
      ),
  );
}
