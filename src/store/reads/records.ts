import { type Kysely, type Selectable, sql } from 'kysely';
import { countedVoteCauses } from '../../ledger/entry.ts';
import type { EffectState } from '../../outbox/effect.ts';
import type { Counts, DeliveryRecord, Records } from '../../owner/records.ts';
import type { Outcome } from '../../tally/tally.ts';
import type { Connection } from '../dialect/dialect.ts';
import { linkedEntries, newestEntryOf } from '../linked-entries.ts';
import { literal, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import { searchDeliveries } from './search-deliveries.ts';

/** What the owner may look at, over SQL. */
export function sqlRecords(db: Kysely<Tables>, reading: Connection): Records {
  const effects = db
    .selectFrom('effects')
    .select(['id', 'kind', 'state', 'attempts', 'reason', 'delivery_id as deliveryId', 'channel_id as channelId'])
    .select(['created_at as createdAt', 'due_at as dueAt', 'finished_at as finishedAt']);
  const linked = (newest: Parameters<typeof linkedEntries>[1]) =>
    linkedEntries(db, newest)
      .selectFrom('linked')
      .select(['id', 'listing', 'credits', 'cause', 'reason', 'at', 'delivery_id as deliveryId']);
  const count = db.fn.countAll<number>().as('count');

  return {
    async deliveries(asked) {
      return (await searchDeliveries(db, reading, asked)).map(deliveryOf);
    },

    async delivery(id) {
      const [row] = await run(reading, db.selectFrom('deliveries').selectAll().where('id', '=', id));
      return row === undefined ? null : deliveryOf(row);
    },

    async recordedUnder(eventKeys) {
      if (eventKeys.length === 0) return null;
      const known = db.selectFrom('deliveries').select('id').where('event_key', 'in', eventKeys).limit(1);
      return (await run(reading, known))[0]?.id ?? null;
    },

    async lastVote(userId, listing, notAfter) {
      const vote = linkedEntries(db, newestEntryOf(db, userId))
        .selectFrom('linked')
        .select('delivery_id')
        .where('at', '<=', notAfter)
        .where('listing', '=', listing)
        .where('cause', 'in', countedVoteCauses)
        .orderBy('at', 'desc')
        .limit(1);
      return (await run(reading, vote))[0]?.delivery_id ?? null;
    },

    async effects({ state, limit, before }) {
      // Few wait among all that were done: with the id hidden from SQLite it reads the index of those that wait, and sorts them.
      const id = state === 'waiting' ? sql<number>`id + 0` : sql<number>`id`;
      let query = effects.orderBy(id, 'desc').limit(limit);
      if (state !== null) query = query.where('state', '=', literal(state));
      if (before !== null) query = query.where(id, '<', before);
      return run(reading, query);
    },

    async effect(id) {
      return (await run(reading, effects.where('id', '=', id)))[0] ?? null;
    },

    effectsOf: (deliveryId) => run(reading, effects.where('delivery_id', '=', deliveryId).orderBy('id')),

    async entries(userId, limit, before = null) {
      const link = db.selectFrom('entries').select('previous').where('user_id', '=', userId);
      const newest = before === null ? newestEntryOf(db, userId) : link.where('id', '=', before).$asScalar();
      return run(reading, linked(newest).limit(limit));
    },

    async entryOf({ id, userId }) {
      if (userId === null) return null;
      const [entry] = await run(reading, linked(newestEntryOf(db, userId)).where('delivery_id', '=', id).limit(1));
      return entry ?? null;
    },

    async counts() {
      // What is usual is counted as all less the rest, and the rest in indexes of its own: the tables themselves are never read.
      const outcomes = db.selectFrom('deliveries').select(['outcome', count]).groupBy('outcome');
      const unusual = await run(reading, outcomes.where('outcome', '<>', literal('recorded')));
      const deliveries = { ...none, ...Object.fromEntries(unusual.map((row) => [row.outcome, row.count])) };
      const logged = await sizeOf('deliveries');
      const buried = await effectsThatAre('buried');
      const waiting = await effectsThatAre('waiting');
      const [sums] = await run(
        reading,
        db
          .selectFrom('balances')
          .select(({ fn }) => [count, fn.sum<number>('credits').as('credits'), fn.sum<number>('votes').as('votes')]),
      );
      return {
        deliveries: { ...deliveries, recorded: logged - Object.values(deliveries).reduce((a, b) => a + b, 0) },
        effects: { waiting, buried, done: (await sizeOf('effects')) - waiting - buried },
        users: sums?.count ?? 0,
        credits: Number(sums?.credits ?? 0),
        votes: Number(sums?.votes ?? 0),
      } satisfies Counts;
    },
  };

  async function sizeOf(table: 'deliveries' | 'effects'): Promise<number> {
    return (await run(reading, db.selectFrom(table).select(count)))[0]?.count ?? 0;
  }

  async function effectsThatAre(state: EffectState): Promise<number> {
    const ofState = db.selectFrom('effects').select(count).where('state', '=', literal(state));
    return (await run(reading, ofState))[0]?.count ?? 0;
  }
}

const none: Record<Outcome, number> = { recorded: 0, duplicate: 0, test: 0, quarantined: 0 };

function deliveryOf(row: Selectable<Tables['deliveries']>): DeliveryRecord {
  const { received_at: receivedAt, user_id: userId, event_key: eventKey, ...same } = row;
  return { ...same, receivedAt, userId, eventKey };
}
