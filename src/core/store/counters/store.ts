import { sql as kyselySql } from 'kysely';
import { lock } from '../lock.ts';
import { run, type SqlAccess } from '../query-builder.ts';
import type { Sql, SqlClient } from '../sql-module.ts';
import { countRows, readCounters } from './counted-rows.ts';
import { type CountedRows, type CountedTable, type CounterName, countedTables, type VoteCount } from './counters.ts';

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
    await add(sql, name, below - from);
    // An effect may have been deleted since.
    const effects = table === 'effects' ? { effects: await countEffects(sql, from, below) } : {};
    for (const [sum, value] of Object.entries({ ...sums, ...effects })) await add(sql, sum as CounterName, value);
    await addVotes(sql, votes);
    return true;
  },

  /** Deletes counts of votes before a time (in units of `slotMs`), at most `limit`. Returns how many. */
  async deleteVoteCounts({ db, connection }: Sql, beforeSlot: number, limit: number): Promise<number> {
    const old = db.selectFrom('vote_counts').select('slot').where('slot', '<', beforeSlot).orderBy('slot').limit(limit);
    const rows = await run(connection, old);
    const last = rows.at(-1);
    if (last !== undefined) await run(connection, db.deleteFrom('vote_counts').where('slot', '<=', last.slot));
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

async function add({ db, connection }: Sql, name: CounterName, value: number): Promise<void> {
  const insert = db.insertInto('counters').values({ name, value });
  await run(
    connection,
    insert.onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ value: kyselySql<number>`counters.value + excluded.value` }),
    ),
  );
}

async function countEffects({ db, connection }: Sql, from: number, below: number): Promise<number> {
  const effects = db.selectFrom('effects').where('id', '>=', from).where('id', '<', below);
  const [row] = await run(
    connection,
    effects.select(({ fn }) => [fn.countAll<number>().as('count')]),
  );
  return row?.count ?? 0;
}

async function addVotes({ db, connection }: Sql, votes: readonly VoteCount[]): Promise<void> {
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
