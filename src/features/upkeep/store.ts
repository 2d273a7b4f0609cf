import type { Clock } from '@tallyhook/platform/clock';
import { hour, minute } from '@tallyhook/platform/durations';
import type { Selectable } from 'kysely';
import { isCountedVote } from '../../core/ledger/entry.ts';
import { linkedEntries } from '../../core/store/account-columns.ts';
import { lockAccountsOf } from '../../core/store/accounts.ts';
import { type CounterStore, slotMs } from '../../core/store/counters.ts';
import { insertMissing, literal, lock, run, upsert } from '../../core/store/query-builder.ts';
import type { Sql, SqlClient } from '../../core/store/sql-module.ts';
import { type CountedTable, countedTables, deliveryColumns, type Tables } from '../../core/store/tables.ts';

/** A lease that ends later than this was written by a clock that was ahead (ms). */
const maxLeaseMs = hour;
/** A longer time without a heartbeat is an outage (ms). */
const longestGapMs = 10 * minute;

export interface Pruned {
  readonly pruned: number;
  readonly hasMore: boolean;
}

const scanSize = 500;

export const reads = {
  /** The last heartbeat (ms since the epoch); null before the first. */
  async lastBeat({ db, connection }: Sql): Promise<number | null> {
    return (await run(connection, db.selectFrom('heartbeats').select('at').where('id', '=', 1)))[0]?.at ?? null;
  },

  /** The newest deliveries, as far back as some were received after a time (ms since the epoch): their ids, oldest first. */
  async receivedAfter({ db, connection }: Sql, time: number): Promise<readonly number[]> {
    const found: number[] = [];
    for (let before = Number.MAX_SAFE_INTEGER; ; ) {
      const newest = db.selectFrom('deliveries').select(['id', 'received_at']).where('id', '<', before);
      const rows = await run(connection, newest.orderBy('id', 'desc').limit(scanSize));
      const later = rows.filter(({ received_at: receivedAt }) => receivedAt > time);
      found.push(...later.map(({ id }) => id));
      const last = rows.at(-1);
      if (last === undefined || later.length === 0) return found.reverse();
      before = last.id;
    }
  },
};

/**
 * Pruning deletes at most `limit` rows in a transaction, so that no vote waits for long. Event keys, entries and
 * accounts are never deleted.
 */
export const writes = {
  /**
   * Notes that deliveries can be received now (ms since the epoch). The time since the last heartbeat may have been an
   * outage.
   */
  async beat(sql: Sql, now: number): Promise<void> {
    const { db, connection } = sql;
    const [last] = await run(connection, db.selectFrom('heartbeats').select('at').where('id', '=', 1));
    await upsert(sql, 'heartbeats', { id: 1 }, { at: now });
    if (last === undefined || now - last.at <= longestGapMs) return;
    await insertMissing(sql, 'outages', { from_at: last.at }, { until_at: now });
  },

  /**
   * Corrects the times of deliveries that were received while a clock was ahead, and of the votes that have no other time, to
   * now (ms since the epoch): they were received before. Otherwise the next vote of a member would seem to repeat the last.
   */
  async correctTimes(sql: Sql, ids: readonly number[], now: number): Promise<void> {
    const { db, connection } = sql;
    const columns = ['id', 'received_at as receivedAt', 'listing', 'user_id as userId'] as const;
    const ahead = db.selectFrom('deliveries').select(columns).where('id', 'in', ids).where('received_at', '>', now);
    const deliveries = await run(connection, ahead.orderBy('user_id').orderBy('id'));
    for (const { id, receivedAt, listing, userId } of deliveries) {
      if (userId === null || listing === null) continue;
      const isTimeOfVote = await correctVote(sql, userId, { id, listing, receivedAt }, now);
      for (const { onTimeCorrected } of sql.hooks)
        await onTimeCorrected?.(sql, { listing, userId, receivedAt, correctedTo: now, isTimeOfVote });
    }
    const corrected = deliveries.map(({ id }) => id);
    if (corrected.length === 0) return;
    await run(connection, db.updateTable('deliveries').set({ received_at: now }).where('id', 'in', corrected));
    await run(connection, db.updateTable('forgotten_votes').set({ at: now }).where('at', '>', now));
  },

  /**
   * Makes effects due that were planned while a clock was ahead (ms since the epoch): they decide again whether and when
   * they are due.
   */
  async wakePlanned({ db, connection }: Sql, now: number): Promise<void> {
    const ahead = db.updateTable('planned_effects').set({ due_at: now, planned_at: now });
    await run(connection, ahead.where('planned_at', '>', now).where('due_at', '>', now));
  },

  /**
   * True if this process may prune until a time; otherwise another one does. All times are ms since the epoch.
   * @param heldUntil the end of its last lease, which is extended; null before the first
   */
  async leasePruning({ db, connection }: Sql, now: number, heldUntil: number | null, until: number): Promise<boolean> {
    await lock(connection, db, 'pruning bodies');
    const [row] = await run(
      connection,
      db.selectFrom('pruning').select(['position', 'leased_until']).where('name', '=', 'bodies'),
    );
    const leasedUntil = row?.leased_until ?? 0;
    const isFree = leasedUntil <= now || leasedUntil > now + maxLeaseMs || leasedUntil === heldUntil;
    if (!isFree) return false;
    const insert = db.insertInto('pruning').values({ name: 'bodies', position: 0, leased_until: until });
    await run(
      connection,
      insert.onConflict((conflict) => conflict.column('name').doUpdateSet({ leased_until: until })),
    );
    return true;
  },

  /** Empties the bodies of deliveries that were received before a time, except of quarantined ones. */
  async pruneBodies(sql: Sql, receivedBefore: number, limit: number): Promise<Pruned> {
    const { db, connection } = sql;
    const position = await positionOf(sql, 'bodies');
    const deliveries = db.selectFrom('deliveries').select(deliveryColumns);
    const rows = await run(connection, deliveries.where('id', '>', position).orderBy('id').limit(limit));
    const old = rows.filter(({ received_at: receivedAt }) => receivedAt < receivedBefore);
    const withBody = old.filter(({ outcome, body }) => outcome !== 'quarantined' && body !== '');
    if (withBody.length > 0) await emptyBodies(sql, withBody);
    const last = old.at(-1);
    if (last !== undefined) await setPosition(sql, 'bodies', last.id);
    return { pruned: withBody.length, hasMore: rows.length === limit && last !== undefined };
  },

  /** Deletes effects that were done before a time. Waiting and buried ones are kept. */
  async pruneEffects(sql: Sql, finishedBefore: number, limit: number): Promise<Pruned> {
    const { db, connection } = sql;
    const position = await positionOf(sql, 'effects');
    const counted = db.selectFrom('counters').select('value').where('name', '=', 'effects below');
    const [{ value: below } = { value: 0 }] = await run(connection, counted);
    // Only counted effects; and never the newest one, whose id SQLite would use again.
    const effects = db.selectFrom('effects').select(['id', 'state', 'created_at', 'finished_at']);
    const rows = await run(
      connection,
      effects
        .where('id', '>', position)
        .where('id', '<', below)
        .where((eb) =>
          eb(
            'id',
            '<',
            db.selectFrom('effects').select(({ fn }) => fn.max('id').as('newest')),
          ),
        )
        .orderBy('id')
        .limit(limit),
    );
    const ids = rows
      .filter(({ state, finished_at: at }) => state === 'done' && at !== null && at < finishedBefore)
      .map(({ id }) => id);
    if (ids.length > 0) {
      const done = db.deleteFrom('effects').where('id', 'in', ids).where('state', '=', literal('done'));
      await run(connection, done);
    }
    const last = rows.at(-1);
    const hasMore = rows.length === limit && rows.some(({ created_at: createdAt }) => createdAt < finishedBefore);
    // The next round begins again, since effects may have been done after their turn.
    await setPosition(sql, 'effects', hasMore && last !== undefined ? last.id : 0);
    return { pruned: ids.length, hasMore };
  },
};

export type UpkeepStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;

/** Returns whether the delivery is a counted vote without a time of its own. */
async function correctVote(
  { db, connection }: Sql,
  userId: string,
  { id, listing, receivedAt }: { readonly id: number; readonly listing: string; readonly receivedAt: number },
  now: number,
): Promise<boolean> {
  let isTimeOfVote = false;
  for (const account of await lockAccountsOf(connection, db, userId)) {
    const linked = linkedEntries(db, account.lastEntry).selectFrom('linked').select(['id', 'untimed', 'cause']);
    const entries = await run(connection, linked.where('delivery_id', '=', id).where('at', '=', receivedAt));
    const vote = entries.find(({ untimed }) => untimed !== 0);
    if (vote === undefined) continue;
    const ids = entries.map((entry) => entry.id);
    await run(connection, db.updateTable('entries').set({ at: now }).where('id', 'in', ids));
    const { lastVotes } = account;
    if (!isCountedVote(vote.cause) || lastVotes[listing] !== receivedAt) continue;
    isTimeOfVote = true;
    const last_votes = JSON.stringify({ ...lastVotes, [listing]: now });
    await run(connection, db.updateTable('balances').set({ last_votes }).where('account_id', '=', account.id));
  }
  return isTimeOfVote;
}

async function positionOf({ db, connection }: Sql, name: Tables['pruning']['name']): Promise<number> {
  await lock(connection, db, `pruning ${name}`);
  const row = db.selectFrom('pruning').select('position').where('name', '=', name);
  return (await run(connection, row))[0]?.position ?? 0;
}

async function setPosition({ db, connection }: Sql, name: Tables['pruning']['name'], position: number): Promise<void> {
  const insert = db.insertInto('pruning').values({ name, position, leased_until: 0 });
  await run(
    connection,
    insert.onConflict((conflict) => conflict.column('name').doUpdateSet({ position })),
  );
}

async function emptyBodies(
  { db, connection, reusesShortenedRows }: Sql,
  rows: readonly Selectable<Tables['deliveries']>[],
): Promise<void> {
  const ids = rows.map(({ id }) => id);
  if (reusesShortenedRows) {
    // No delivery returns into the quarantine.
    await run(connection, db.updateTable('deliveries').set({ body: '' }).where('id', 'in', ids));
    return;
  }
  // Nobody else writes during the transaction.
  await run(connection, db.deleteFrom('deliveries').where('id', 'in', ids));
  await run(connection, db.insertInto('deliveries').values(rows.map((row) => ({ ...row, body: '' }))));
}

/**
 * On a server, rows are counted this long after a higher id was seen (ms): a transaction may still be inserting lower
 * ids, and on some databases a connection has a range of ids. No connection lives that long.
 */
const settleMs = 15 * minute;
/** The highest id of each table is noted so often (ms). */
const noteEveryMs = minute;
const voteCountsAtOnce = 500;

export type Counting = ReturnType<typeof createCounting>;

/**
 * Counts the rows that were added, so that summaries need not count whole tables. Rejects as the writes of the store do,
 * or with the driver's error.
 * @param areIdsOrdered whether the database assigns ids in the order of commits
 */
export function createCounting(store: CounterStore, clock: Clock, areIdsOrdered: boolean) {
  const settleTableMs = areIdsOrdered ? 0 : settleMs;
  const notes: { readonly at: number; readonly below: Readonly<Record<CountedTable, number>> }[] = [];

  /** The ids below which no row will be added. */
  async function settledIds(): Promise<Readonly<Record<CountedTable, number>> | undefined> {
    const now = clock.monotonic();
    const newest = notes.at(-1);
    if (newest === undefined || now - newest.at >= noteEveryMs || settleTableMs === 0) {
      notes.push({ at: now, below: await store.nextIds() });
    }
    const settled = notes.findLastIndex(({ at }) => now - at >= settleTableMs);
    if (settled > 0) notes.splice(0, settled);
    return settled === -1 ? undefined : notes[0]?.below;
  }

  return {
    /** Counts some rows. Returns whether there are more. */
    async advance(): Promise<boolean> {
      const settled = await settledIds();
      if (settled === undefined) return false;
      const counters = await store.counters();
      let hasMore = false;
      for (const table of countedTables) {
        const range = { from: counters[`${table} below`] ?? 0, below: settled[table] };
        const counted = range.from < range.below ? await store.countRows(table, range) : null;
        if (counted === null) continue;
        await store.addCounted(counted);
        hasMore ||= counted.below < range.below;
      }
      return hasMore;
    },
    /** Adds up counts of votes that no chart shows (ms since the epoch). Returns whether there may be more. */
    async addUpVotesBefore(at: number): Promise<boolean> {
      return (await store.addUpVoteCounts(Math.floor(at / slotMs), voteCountsAtOnce)) === voteCountsAtOnce;
    },
  };
}
