import { type Kysely, sql } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import type { CountedRows, CounterName, VoteCount } from '../counters.ts';
import { run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import { lock } from './lock.ts';

/** Rows per statement, which have three parameters each. */
const rowsPerInsert = 500;

/** Counters of rows, for use inside a transaction of `connection`. */
export function counterWrites(db: Kysely<Tables>, connection: Connection) {
  async function add(name: CounterName, value: number): Promise<void> {
    const insert = db.insertInto('counters').values({ name, value });
    await run(
      connection,
      insert.onConflict((conflict) =>
        conflict.column('name').doUpdateSet({ value: sql<number>`counters.value + excluded.value` }),
      ),
    );
  }

  async function countEffects(from: number, below: number): Promise<number> {
    const effects = db.selectFrom('effects').where('id', '>=', from).where('id', '<', below);
    const [row] = await run(
      connection,
      effects.select(({ fn }) => [fn.countAll<number>().as('count')]),
    );
    return row?.count ?? 0;
  }

  async function addVotes(votes: readonly VoteCount[]): Promise<void> {
    for (let start = 0; start < votes.length; start += rowsPerInsert) {
      const insert = db.insertInto('vote_counts').values(votes.slice(start, start + rowsPerInsert));
      await run(
        connection,
        insert.onConflict((conflict) =>
          conflict.columns(['listing', 'slot']).doUpdateSet({ votes: sql<number>`vote_counts.votes + excluded.votes` }),
        ),
      );
    }
  }

  return {
    /** Adds rows that follow the counted ones. False if another process has counted them. */
    async addCounted({ table, from, below, sums, votes }: CountedRows): Promise<boolean> {
      const name = `${table} below` as const;
      await lock(connection, db, 'counters');
      const [counted] = await run(connection, db.selectFrom('counters').select('value').where('name', '=', name));
      if ((counted?.value ?? 0) !== from) return false;
      await add(name, below - from);
      // An effect may have been deleted since.
      const effects = table === 'effects' ? { effects: await countEffects(from, below) } : {};
      for (const [sum, value] of Object.entries({ ...sums, ...effects })) await add(sum as CounterName, value);
      await addVotes(votes);
      return true;
    },

    /** Deletes counts of votes before a time (in units of `slotMs`), at most `limit`. Returns how many. */
    async deleteVoteCounts(beforeSlot: number, limit: number): Promise<number> {
      const old = db
        .selectFrom('vote_counts')
        .select('slot')
        .where('slot', '<', beforeSlot)
        .orderBy('slot')
        .limit(limit);
      const rows = await run(connection, old);
      const last = rows.at(-1);
      if (last !== undefined) await run(connection, db.deleteFrom('vote_counts').where('slot', '<=', last.slot));
      return rows.length;
    },

    /** Counts everything again, after entries have moved to other accounts. */
    async resetCounters(): Promise<void> {
      await lock(connection, db, 'counters');
      await run(connection, db.deleteFrom('vote_counts'));
      await run(connection, db.deleteFrom('counters'));
    },
  };
}
