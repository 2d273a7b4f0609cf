import { setImmediate as nextTurn } from 'node:timers/promises';
import { minute } from '@tallyhook/platform/durations';
import { type Kysely, sql as kyselySql } from 'kysely';
import { countedVoteCauses } from '../ledger/entry.ts';
import { increase, literal, lock, run, type SqlAccess } from './query-builder.ts';
import type { Sql, SqlClient } from './sql-module.ts';
import { type CountedTable, type CounterName, countedTables, type Tables } from './tables.ts';

export type Counters = Partial<Record<CounterName, number>>;

/** In every time zone, days begin at a multiple of this (ms). */
export const slotMs = 15 * minute;

/** Rows of a table that were counted: the id after the last one, and what they add to the counters. */
interface CountedRows {
  readonly table: CountedTable;
  readonly from: number;
  readonly below: number;
  readonly sums: Counters;
  readonly votes: readonly VoteCount[];
}

/** Counted votes of a listing (empty for none) in a quarter of an hour. */
export interface VoteCount {
  readonly listing: string;
  readonly slot: number;
  readonly votes: number;
}

/** Rows that one query counts: a few ms, in which SQLite blocks this thread. */
export const rowsPerCount = 10_000;
/** Rows per statement, which have three parameters each. */
const rowsPerInsert = 500;

export const reads = {
  counters: readCounters,
  countRows,

  /** The ids after the last row of each table. */
  async nextIds({ db, connection }: Sql): Promise<Readonly<Record<CountedTable, number>>> {
    const next = { deliveries: 0, entries: 0, effects: 0 };
    for (const table of countedTables) {
      const last = db.selectFrom(table).select(({ fn }) => fn.max<number | null>('id').as('id'));
      next[table] = ((await run(connection, last))[0]?.id ?? -1) + 1;
    }
    return next;
  },
};

export const writes = {
  /** Adds rows that follow the counted ones. False if another process has counted them. */
  async addCounted(sql: Sql, { table, from, below, sums, votes }: CountedRows): Promise<boolean> {
    const { db, connection } = sql;
    const name = `${table} below` as const;
    await lock(connection, db, 'counters');
    const [counted] = await run(connection, db.selectFrom('counters').select('value').where('name', '=', name));
    if ((counted?.value ?? 0) !== from) return false;
    await increase(sql, 'counters', { name }, { value: below - from });
    // An effect may have been deleted since.
    const effects = table === 'effects' ? { effects: await countEffects(sql, from, below) } : {};
    for (const [sum, value] of Object.entries({ ...sums, ...effects }))
      await increase(sql, 'counters', { name: sum as CounterName }, { value });
    await addVotes(sql, votes);
    return true;
  },

  /**
   * Adds counts of votes before a time (in units of `slotMs`) up, at most `limit`: the sum of each listing is in slot 0.
   * Returns how many.
   */
  async addUpVoteCounts({ db, connection }: Sql, beforeSlot: number, limit: number): Promise<number> {
    const counts = db.selectFrom('vote_counts').where('slot', '>', 0).where('slot', '<', beforeSlot);
    const rows = await run(connection, counts.selectAll().orderBy('slot').limit(limit));
    const last = rows.at(-1);
    if (last === undefined) return 0;
    const old = counts.where('slot', '<=', last.slot);
    const sums = await run(
      connection,
      old
        .select(['listing', ({ fn }) => kyselySql<number>`cast(${fn.sum('votes')} as bigint)`.as('votes')])
        .groupBy('listing'),
    );
    await run(connection, db.deleteFrom('vote_counts').where('slot', '>', 0).where('slot', '<=', last.slot));
    await addVotes(
      { db, connection },
      sums.map(({ listing, votes }) => ({ listing, slot: 0, votes: Number(votes) })),
    );
    return rows.length;
  },

  /** Forgets all counts, so that everything is counted again; to be called after entries have moved to other accounts. */
  async reset({ db, connection }: SqlAccess): Promise<void> {
    await lock(connection, db, 'counters');
    await run(connection, db.deleteFrom('vote_counts'));
    await run(connection, db.deleteFrom('counters'));
  },
};

export type CounterStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;

async function countEffects({ db, connection }: Sql, from: number, below: number): Promise<number> {
  const effects = db.selectFrom('effects').where('id', '>=', from).where('id', '<', below);
  return (await run(connection, effects.select(db.fn.countAll<number>().as('count'))))[0]?.count ?? 0;
}

async function addVotes(
  { db, connection }: Pick<Sql, 'db' | 'connection'>,
  votes: readonly VoteCount[],
): Promise<void> {
  for (let start = 0; start < votes.length; start += rowsPerInsert) {
    const insert = db.insertInto('vote_counts').values(votes.slice(start, start + rowsPerInsert));
    await run(
      connection,
      insert.onConflict((conflict) =>
        conflict
          .columns(['listing', 'slot'])
          .doUpdateSet({ votes: kyselySql<number>`vote_counts.votes + excluded.votes` }),
      ),
    );
  }
}

export async function readCounters({ db, connection }: SqlAccess): Promise<Counters> {
  const rows = await run(connection, db.selectFrom('counters').selectAll());
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

/** Counts the rows with ids from `from` up to, but not including `below`; at most {@link rowsPerCount}. Null for none. */
export async function countRows(
  { db, connection }: SqlAccess,
  table: CountedTable,
  { from, below }: { readonly from: number; readonly below: number },
): Promise<CountedRows | null> {
  const counts = table === 'entries' ? await countEntries() : await countIds(table);
  return counts.lastId === null ? null : { table, from, below: counts.lastId + 1, ...counts };

  async function countIds(name: 'deliveries' | 'effects') {
    const ids = db.selectFrom(name).select('id').where('id', '>=', from).where('id', '<', below);
    const [row] = await run(
      connection,
      db
        .selectFrom(ids.orderBy('id').limit(literal(rowsPerCount)).as('ids'))
        .select(({ fn }) => [fn.countAll<number>().as('count'), fn.max<number | null>('id').as('lastId')]),
    );
    return { lastId: row?.lastId ?? null, sums: { [name]: row?.count ?? 0 } satisfies Counters, votes: [] };
  }

  async function countEntries() {
    const entries = db.selectFrom('entries').select(['id', 'listing', 'cause', 'credits', 'at', 'previous']);
    const slice = entries.where('id', '>=', from).where('id', '<', below).orderBy('id').limit(literal(rowsPerCount));
    const slot = kyselySql<number>`at / ${kyselySql.lit(slotMs)}`;
    const groups = await run(
      connection,
      db
        .selectFrom(slice.as('slice'))
        .select(({ fn, eb }) => [
          'listing',
          slot.as('slot'),
          fn.sum<number | string>('credits').as('credits'),
          fn.count<number>(eb.case().when('cause', 'in', countedVoteCauses.map(literal)).then(1).end()).as('votes'),
          fn.count<number>(eb.case().when('previous', 'is', null).then(1).end()).as('members'),
          fn.max('id').as('lastId'),
        ])
        .groupBy(['listing', slot]),
    );
    const sum = (values: readonly (number | string)[]) =>
      values.reduce<number>((total, each) => total + Number(each), 0);
    const votes: VoteCount[] = groups.flatMap(({ listing, ...group }) =>
      group.votes > 0 ? [{ listing: listing ?? '', slot: group.slot, votes: group.votes }] : [],
    );
    return {
      lastId: groups.length === 0 ? null : groups.reduce((last, { lastId }) => Math.max(last, lastId), 0),
      sums: {
        credits: sum(groups.map(({ credits }) => credits)),
        votes: sum(groups.map((group) => group.votes)),
        members: sum(groups.map(({ members }) => members)),
      } satisfies Counters,
      votes,
    };
  }
}

/** The counters with the rows of these tables that are not counted yet. */
export async function currentCounters(
  access: SqlAccess,
  counters: Counters,
  tables: readonly CountedTable[],
): Promise<Readonly<Record<Exclude<CounterName, `${string} below`>, number>>> {
  const totals = { deliveries: 0, effects: 0, credits: 0, votes: 0, members: 0, ...counters };
  for (const table of tables) {
    for (let from = counters[`${table} below`] ?? 0; ; ) {
      const counted = await countRows(access, table, { from, below: Number.MAX_SAFE_INTEGER });
      if (counted === null) break;
      for (const [name, value] of Object.entries(counted.sums)) totals[name as keyof typeof counted.sums] += value;
      from = counted.below;
      await nextTurn();
    }
  }
  return totals;
}

/** Subtracts waiting effects that will be deleted from the counter. */
export function uncountWaiting(db: Kysely<Tables>, ids: readonly number[]) {
  const waiting = db.selectFrom('effects').where('id', 'in', ids).where('state', '=', literal('waiting'));
  const counted = waiting
    .where((eb) => eb('id', '<', db.selectFrom('counters').select('value').where('name', '=', 'effects below')))
    .select(({ fn }) => fn.countAll<number>().as('count'));
  return db
    .updateTable('counters')
    .set((eb) => ({ value: eb('value', '-', counted) }))
    .where('name', '=', 'effects');
}

/** SQLite uses the id of a deleted effect again if it was the newest one. */
export function countAgainFromNewest(db: Kysely<Tables>) {
  const next = kyselySql<number>`(select coalesce(max(id), -1) + 1 from effects)`;
  return db.updateTable('counters').set({ value: next }).where('name', '=', 'effects below').where('value', '>', next);
}
