import { type Kysely, type Selectable, sql } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import { allVoteCauses, type Cause, countedVoteCauses } from '../../ledger/entry.ts';
import type { EffectState } from '../../outbox/effect.ts';
import type { Counts, DeliveryRecord, Records } from '../../records/records.ts';
import type { Outcome } from '../../tally/tally.ts';
import { currentCounters, readCounters } from '../counters/counted-rows.ts';
import { countedTables } from '../counters/counters.ts';
import { linkedEntries, newestEntryOf } from '../linked-entries.ts';
import { literal, run } from '../query-builder.ts';
import { toGrant } from '../recording/queries.ts';
import { noDelivery, type Tables } from '../tables.ts';
import { newestEntriesOf } from './member-accounts.ts';
import { deliveryColumns, searchDeliveries } from './search-deliveries.ts';

/** The owner's read port over SQL. */
export function sqlRecords(db: Kysely<Tables>, reading: Connection): Records {
  const access = { db, connection: reading };
  const effects = db
    .selectFrom('effects')
    .select(['id', 'kind', 'state', 'attempts', 'reason', 'queue'])
    .select(sql<number | null>`nullif(delivery_id, ${literal(noDelivery)})`.as('deliveryId'))
    .select(['created_at as createdAt', 'due_at as dueAt', 'finished_at as finishedAt']);
  const selectEntries = (newest: Parameters<typeof linkedEntries>[1]) =>
    linkedEntries(db, newest)
      .selectFrom('linked')
      .select(['id', 'listing', 'credits', 'cause', 'reason', 'at', 'delivery_id as deliveryId']);
  const count = db.fn.countAll<number>().as('count');

  return {
    async deliveries(search) {
      return toDeliveryRecords(await searchDeliveries(db, reading, search));
    },

    async delivery(id) {
      const delivery = db.selectFrom('deliveries').select(deliveryColumns).where('id', '=', id);
      return (await toDeliveryRecords(await run(reading, delivery)))[0] ?? null;
    },

    async recordedUnder(eventKeys) {
      if (eventKeys.length === 0) return null;
      const keys = eventKeys.map((key) => Buffer.from(key, 'hex'));
      const recorded = db.selectFrom('event_keys').select('delivery_id').where('key', 'in', keys).limit(1);
      return (await run(reading, recorded))[0]?.delivery_id ?? null;
    },

    async lastVote(userId, listing, notAfter) {
      const vote = linkedEntries(db, await newestEntriesOf(reading, db, userId))
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
      // `id + 0` keeps SQLite from scanning by id: only a few effects are waiting, so it should read their index and
      // sort.
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

    async entries(accountId, limit, before = null) {
      const link = db.selectFrom('entries').select('previous').where('user_id', '=', accountId);
      const newest = before === null ? newestEntryOf(db, accountId) : link.where('id', '=', before).$asScalar();
      return run(reading, selectEntries(newest).limit(limit));
    },

    async entryOf({ id, userId }) {
      if (userId === null) return null;
      const [entry] = await run(
        reading,
        selectEntries(await newestEntriesOf(reading, db, userId))
          .where('delivery_id', '=', id)
          .where('cause', 'in', eventCauses.map(literal))
          .limit(1),
      );
      return entry ?? null;
    },

    async grants(userId) {
      const grants = db.selectFrom('grants').selectAll().where('user_id', '=', userId);
      return (await run(reading, grants.orderBy('role').orderBy('source'))).map(toGrant);
    },

    async counts() {
      // The frequent values are the total minus the others, which have partial indexes, so no table is scanned.
      const outcomes = db.selectFrom('deliveries').select(['outcome', count]).groupBy('outcome');
      const unusual = await run(reading, outcomes.where('outcome', '<>', literal('recorded')));
      const byOutcome = { ...noDeliveries, ...Object.fromEntries(unusual.map((row) => [row.outcome, row.count])) };
      const buried = await effectCount('buried');
      const waiting = await effectCount('waiting');
      const totals = await currentCounters(access, await readCounters(access), countedTables);
      const { deliveries, effects: allEffects, members, credits, votes } = totals;
      return {
        deliveries: { ...byOutcome, recorded: deliveries - Object.values(byOutcome).reduce((a, b) => a + b, 0) },
        effects: { waiting, buried, done: allEffects - waiting - buried },
        ...{ users: members, credits, votes },
      } satisfies Counts;
    },
  };

  /** A duplicate without a body of its own gets that of the delivery that it repeats. */
  async function toDeliveryRecords(rows: readonly Selectable<Tables['deliveries']>[]): Promise<DeliveryRecord[]> {
    const originalIds = rows.flatMap(({ body, original_id: id }) => (body === '' && id !== null ? id : []));
    const originals = db.selectFrom('deliveries').select(['id', 'body']).where('id', 'in', originalIds);
    const bodies = new Map(
      originalIds.length === 0 ? [] : (await run(reading, originals)).map(({ id, body }) => [id, body]),
    );
    return rows.map(({ received_at: receivedAt, user_id: userId, original_id: originalId, ...columns }) => {
      const body = columns.body === '' && originalId !== null ? (bodies.get(originalId) ?? '') : columns.body;
      return { ...columns, body, receivedAt, userId, originalId };
    });
  }

  async function effectCount(state: EffectState): Promise<number> {
    const ofState = db.selectFrom('effects').select(count).where('state', '=', literal(state));
    return (await run(reading, ofState))[0]?.count ?? 0;
  }
}

/** The causes of the entries of events themselves. */
const eventCauses = [...allVoteCauses, 'premium', 'revoked'] as const satisfies readonly Cause[];

const noDeliveries: Record<Outcome, number> = { recorded: 0, duplicate: 0, test: 0, quarantined: 0 };
