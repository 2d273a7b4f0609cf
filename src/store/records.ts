import type { Kysely, Selectable } from 'kysely';
import type { EffectState } from '../outbox/effect.ts';
import type { Counts, DeliveryRecord, Records } from '../owner/records.ts';
import type { Outcome } from '../tally/tally.ts';
import type { Connection } from './dialect.ts';
import { run } from './statement.ts';
import type { Tables } from './tables.ts';

/** What the owner may look at, over SQL. */
export function sqlRecords(db: Kysely<Tables>, reading: Connection): Records {
  return {
    async deliveries({ outcome, limit, before }) {
      let query = db.selectFrom('deliveries').selectAll().orderBy('id', 'desc').limit(limit);
      if (outcome !== null) query = query.where('outcome', '=', outcome);
      if (before !== null) query = query.where('id', '<', before);
      return (await run(reading, query)).map(deliveryOf);
    },

    async delivery(id) {
      const [row] = await run(reading, db.selectFrom('deliveries').selectAll().where('id', '=', id));
      return row === undefined ? null : deliveryOf(row);
    },

    async effects({ state, limit, before }) {
      let query = db
        .selectFrom('effects')
        .select(['id', 'kind', 'state', 'attempts', 'reason', 'delivery_id as deliveryId'])
        .orderBy('id', 'desc')
        .limit(limit);
      if (state !== null) query = query.where('state', '=', state);
      if (before !== null) query = query.where('id', '<', before);
      return run(reading, query);
    },

    entries: (userId, limit) =>
      run(
        reading,
        db
          .selectFrom('entries')
          .select(['id', 'listing', 'credits', 'cause', 'reason', 'at', 'delivery_id as deliveryId'])
          .where('user_id', '=', userId)
          .orderBy('at', 'desc')
          .orderBy('id', 'desc')
          .limit(limit),
      ),

    async counts() {
      const count = db.fn.countAll<number>().as('count');
      const deliveries = await run(reading, db.selectFrom('deliveries').select(['outcome', count]).groupBy('outcome'));
      const effects = await run(reading, db.selectFrom('effects').select(['state', count]).groupBy('state'));
      const [sums] = await run(
        reading,
        db
          .selectFrom('balances')
          .select(({ fn }) => [count, fn.sum<number>('credits').as('credits'), fn.sum<number>('votes').as('votes')]),
      );
      return {
        deliveries: { ...noDeliveries, ...Object.fromEntries(deliveries.map((row) => [row.outcome, row.count])) },
        effects: { ...noEffects, ...Object.fromEntries(effects.map((row) => [row.state, row.count])) },
        users: sums?.count ?? 0,
        credits: Number(sums?.credits ?? 0),
        votes: Number(sums?.votes ?? 0),
      } satisfies Counts;
    },
  };
}

const noDeliveries: Record<Outcome, number> = { recorded: 0, duplicate: 0, test: 0, quarantined: 0 };
const noEffects: Record<EffectState, number> = { waiting: 0, done: 0, buried: 0 };

function deliveryOf(row: Selectable<Tables['deliveries']>): DeliveryRecord {
  const { received_at: receivedAt, user_id: userId, event_key: eventKey, ...same } = row;
  return { ...same, receivedAt, userId, eventKey };
}
