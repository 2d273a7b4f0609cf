import { literal, run } from '../../core/store/query-builder.ts';
import { quarantineColumns, toQuarantined } from '../../core/store/records/quarantine.ts';
import type { Sql, SqlClient } from '../../core/store/sql-module.ts';
import { noDelivery } from '../../core/store/tables.ts';
import type { EventKey } from '../../core/tally/idempotency-key.ts';
import type { QuarantinedDelivery } from '../../core/tally/quarantine.ts';
import { quarantineReasons } from '../../webhook/quarantine-reasons.ts';
import { decided, noRate, type RateState } from './rate.ts';

/** A listing with something to decide, or whose decision is being carried out. Times are ms since the epoch. */
export interface Alarm {
  readonly listing: string;
  readonly state: RateState;
  readonly heldAt: number;
  /** Votes that were paid in the same hour before. */
  readonly paid: number;
  /** Votes of a usual hour. */
  readonly usual: number;
}

export interface HeldListing extends Alarm {
  readonly held: number;
}

export type Decision = Parameters<typeof decided>[0];

export const reads = {
  alarms,

  /** With the number of held votes, which takes some ms during an attack. */
  async held(sql: Sql): Promise<readonly HeldListing[]> {
    const held: HeldListing[] = [];
    for (const alarm of await alarms(sql)) {
      const count = heldDeliveries(sql, alarm.listing).select(({ fn }) => fn.countAll<number>().as('count'));
      held.push({ ...alarm, held: (await run(sql.connection, count))[0]?.count ?? 0 });
    }
    return held;
  },

  async deliveries(sql: Sql, listing: string, limit: number): Promise<readonly QuarantinedDelivery[]> {
    const oldest = heldDeliveries(sql, listing).select(quarantineColumns).orderBy('id').limit(limit);
    return (await run(sql.connection, oldest)).map(toQuarantined);
  },
};

export const writes = {
  /** False if there is nothing to decide. */
  async decide({ db, connection }: Sql, listing: string, decision: Decision, now: number): Promise<boolean> {
    const held = db.updateTable('rate_alarms').set(decided(decision, now)).where('listing', '=', listing);
    return (await run(connection, held.where('state', '=', 'held').returning('listing'))).length > 0;
  },

  /** When there are no more deliveries. */
  async finish({ db, connection }: Sql, listing: string): Promise<void> {
    const { state, held_at } = noRate;
    const row = db.updateTable('rate_alarms').set({ state, held_at }).where('listing', '=', listing);
    await run(connection, row.where('state', '<>', 'held'));
  },

  /** The votes of these deliveries are never paid, and those that have keys are duplicates when they are repeated. */
  async reject({ db, connection }: Sql, ids: readonly number[], keys: readonly EventKey[]): Promise<void> {
    const rows = keys.map((key) => ({ key: Buffer.from(key, 'hex'), delivery_id: noDelivery }));
    const insert = db.insertInto('event_keys').values(rows);
    if (rows.length > 0)
      await run(
        connection,
        insert.onConflict((conflict) => conflict.doNothing()),
      );
    const held = db.updateTable('deliveries').where('id', 'in', ids).where('outcome', '=', 'quarantined');
    const rejected = { outcome: 'ignored', reason: quarantineReasons.rejected } as const;
    await run(connection, held.where('reason', '=', quarantineReasons.rateAlarm).set(rejected));
  },
};

export type RateAlarmStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;

async function alarms({ db, connection }: Sql): Promise<readonly Alarm[]> {
  const rows = await run(connection, db.selectFrom('rate_alarms').selectAll().where('state', 'is not', null));
  return rows.flatMap(({ listing, state, held_at: heldAt, votes: paid, usual }) =>
    state === null ? [] : [{ listing, state, heldAt: heldAt ?? 0, paid, usual: usual / 1_000 }],
  );
}

function heldDeliveries({ db }: Sql, listing: string) {
  const quarantined = db.selectFrom('deliveries').where('outcome', '=', literal('quarantined'));
  // Redundant, but SQLite uses the partial index `deliveries_unusual` only if its condition is in the query.
  const unusual = quarantined.where('outcome', '<>', literal('recorded'));
  return unusual.where('reason', '=', quarantineReasons.rateAlarm).where('listing', '=', listing);
}
