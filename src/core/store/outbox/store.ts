import { setImmediate as yieldToRequests } from 'node:timers/promises';
import { type Kysely, sql as kyselySql, type Selectable } from 'kysely';
import {
  announcementKind,
  type ClaimedEffect,
  type Contents,
  isOf,
  parseContent,
  roleKind,
  type UnreadableContents,
} from '../../outbox/effect-kind.ts';
import { maxDueAheadOf, type OutboxChanges, type OutboxReads } from '../../outbox/outbox.ts';
import { laneOfQueue, type QueueName, queuesOfType, targetOfQueue } from '../../outbox/queue.ts';
import { lockAccountsOf } from '../accounts.ts';
import { literal, preparedStatement, run } from '../query-builder.ts';
import type { Sql, SqlOperations } from '../sql-module.ts';
import { noDelivery, type Tables } from '../tables.ts';
import { enqueue } from './enqueue.ts';

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
    // is due in the future, was written by a clock that was ahead. Requests to endpoints that have failed wait as long as
    // stated.
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
            .where((or) =>
              or.or([
                or('postponed.attempts', '=', literal(0)),
                or.and([
                  or('postponed.reason', 'is not', null),
                  or('postponed.queue', 'not like', queuesOfType('webhook')),
                ]),
              ]),
            ),
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

/** An effect with the fields that are needed to fail it. */
type EffectToFail = { readonly id: number } & (Contents | UnreadableContents);

/** True if no attempt before the current one can have sent it. */
function isUnsent({ possiblySentSince }: ClaimedEffect): boolean {
  return possiblySentSince === null;
}

/** Suffix of the nonce of an effect that must be a message of its own. */
const splitSuffix = '-s';

/**
 * Claims effects. A lease is the due time moved into the future: if the effect is not finished by then, it is due again.
 */
export async function claim(
  sql: Sql,
  queue: string,
  now: number,
  leaseUntil: number,
  limit: number,
): Promise<readonly ClaimedEffect[]> {
  let due = await findFirstDue(sql, queue, now);
  if (due === undefined && (await resetDueTimes(sql, queue, now))) due = await findFirstDue(sql, queue, now);
  if (due === undefined) return [];
  const { nonce, due_at: dueAt } = due;
  const locked = await (nonce === null ? lockNew(sql, { queue, now, limit }) : lockMessage(sql, queue, dueAt, nonce));
  const parsed = locked.map((row) => ({ row, contents: parseContent(sql.effects, row.kind, row.content) }));
  const claimed = selectTogether(parsed);
  const [first] = claimed;
  if (first === undefined) return [];
  const contents = new Map(claimed.map((each) => [each.row.id, each.contents]));
  const ids = claimed.map(({ row }) => row.id);
  const rows = await lease(sql, { ids, nonce: nonce ?? createNonce(first.row), leaseUntil, now });
  return rows.flatMap((row) => toEffect(row, contents.get(row.id), now)).sort((a, b) => a.id - b.id);
}

/** The first due effect of a queue. It determines what is claimed. */
async function findFirstDue(sql: Sql, queue: string, now: number) {
  return (await findDue(sql, { queue, now }))[0];
}

const findDue = preparedStatement<{ queue: string; now: number }>()((db, placeholder) =>
  dueIn(db, placeholder('queue'), placeholder('now')).select(['due_at', 'nonce']).limit(1),
);

/**
 * Makes effects of a queue due whose due time is too far ahead: a clock that was ahead has written it. Returns whether
 * there were any.
 */
async function resetDueTimes({ db, connection }: Sql, queue: string, now: number): Promise<boolean> {
  const waiting = db.updateTable('effects').set({ due_at: now }).where('state', '=', literal('waiting'));
  const tooFarAhead = waiting.where('queue', '=', queue).where('due_at', '>', now + maxDueAheadOf(queue));
  return (await run(connection, tooFarAhead.returning('id'))).length > 0;
}

/** Due effects that no message contains yet, except those that another process is claiming. */
const lockNew = preparedStatement<{ queue: string; now: number; limit: number }>()((db, placeholder) =>
  dueIn(db, placeholder('queue'), placeholder('now'))
    .where('nonce', 'is', null)
    .select(lockedColumns)
    .limit(placeholder('limit'))
    .forUpdate()
    .skipLocked(),
);

const lease = preparedStatement<{ ids: readonly number[]; nonce: string; leaseUntil: number; now: number }>()(
  (db, placeholder) =>
    db
      .updateTable('effects')
      .set((eb) => ({
        nonce: placeholder('nonce'),
        attempts: eb('attempts', '+', 1),
        due_at: placeholder('leaseUntil'),
        reason: null,
        unsure_since: eb.fn.coalesce('unsure_since', eb.val(placeholder('now'))),
      }))
      .where('id', 'in', placeholder('ids'))
      .returning(claimedColumns),
);

/** The effects of an attempted message, which share their due time; empty while another process has any of them. */
async function lockMessage({ db, connection }: Sql, queue: string, dueAt: number, nonce: string) {
  const message = waitingOf(db, queue).where('due_at', '=', dueAt).where('nonce', '=', nonce);
  const effects = await run(connection, message.select('id'));
  const locked = await run(connection, message.select(lockedColumns).orderBy('id').forUpdate().skipLocked());
  return locked.length === effects.length ? locked : [];
}

function dueIn(db: Sql['db'], queue: string, now: number) {
  return waitingOf(db, queue).where('due_at', '<=', now).orderBy('due_at').orderBy('id');
}

function waitingOf(db: Sql['db'], queue: string) {
  return waitingIn(db).where('queue', '=', queue);
}

/** The nonce of a message (at most 25 characters). The time makes it unique even if the database is created again. */
export function createNonce(effect: { id: number; created_at: number }, suffix = ''): string {
  return `${effect.id.toString(36)}-${effect.created_at.toString(36)}${suffix}`;
}

const lockedColumns = ['id', 'created_at', 'kind', 'content'] as const;
const claimedColumns = [
  ...(['id', 'delivery_id', 'queue', 'attempts', 'created_at', 'nonce', 'unsure_since', 'traceparent'] as const),
];

interface ParsedRow {
  readonly row: Pick<Selectable<Tables['effects']>, 'id' | 'created_at'>;
  readonly contents: Contents | UnreadableContents;
}

/** The first effects that are carried out together: the unreadable ones, or those of one kind. */
function selectTogether(parsed: readonly ParsedRow[]): readonly ParsedRow[] {
  const unreadable = parsed.filter(({ contents }) => 'reason' in contents);
  if (unreadable.length > 0) return unreadable;
  if (parsed[0]?.contents.kind !== announcementKind.kind) return parsed.slice(0, 1);
  const other = parsed.findIndex(({ contents }) => contents.kind !== announcementKind.kind);
  return other === -1 ? parsed : parsed.slice(0, other);
}

function toEffect(
  row: Pick<Selectable<Tables['effects']>, (typeof claimedColumns)[number]>,
  contents: Contents | UnreadableContents | undefined,
  claimedAt: number,
): ClaimedEffect[] {
  if (contents === undefined) return [];
  const fields = {
    id: row.id,
    deliveryId: row.delivery_id === noDelivery ? null : row.delivery_id,
    queue: row.queue,
    attempts: row.attempts,
    createdAt: row.created_at,
    nonce: row.nonce ?? '',
    possiblySentSince: row.unsure_since === claimedAt ? null : row.unsure_since,
    ...(row.traceparent !== null && { traceparent: row.traceparent }),
  };
  return [{ ...fields, ...contents }];
}

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
    return dueAtOf(queue, first.due_at, last?.due_at ?? first.due_at, now);
  },

  async queuesAfter(sql, queue, limit, now) {
    const rows = await findQueues(sql, { queue, limit });
    return rows.map(({ name, firstDueAt, lastDueAt }) => {
      const queue = (name ?? '') as QueueName;
      return { queue, dueAt: dueAtOf(queue, firstDueAt ?? now, lastDueAt ?? now, now) };
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
      // An endpoint that fails for days says nothing of this program.
      const counted = queues.filter(
        ({ name }) => name === null || (laneOfQueue(name) !== 'webhooks' && !stopped.has(targetOfQueue(name))),
      );
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

/** When the oldest effects of each queue were stored: either the first one, or one that was postponed. */
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

/** A due time too far ahead was written by a clock that was ahead, and counts as due (see {@link maxDueAheadOf}). */
function dueAtOf(queue: string, firstDueAt: number, lastDueAt: number, now: number): number {
  return lastDueAt > now + maxDueAheadOf(queue) ? now : firstDueAt;
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
