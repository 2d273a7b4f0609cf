import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { countedVoteCauses } from '../../ledger/entry.ts';
import { literal, run, type SqlAccess } from '../query-builder.ts';
import {
  type CountedRows,
  type CountedTable,
  type CounterName,
  type Counters,
  slotMs,
  type VoteCount,
} from './counters.ts';

/** Rows that one query counts: a few ms, in which SQLite blocks this thread. */
export const rowsPerCount = 10_000;

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
    const slot = sql<number>`at / ${sql.lit(slotMs)}`;
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
