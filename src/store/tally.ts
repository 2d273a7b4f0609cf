import type { Kysely, Selectable } from 'kysely';
import { countedVotes, type Entry } from '../ledger/entry.ts';
import { emptyPassbook, type Passbook, withEntry } from '../ledger/passbook.ts';
import type { NewEffect } from '../outbox/outbox.ts';
import { untimed } from '../tally/identity.ts';
import { merged } from '../tally/order.ts';
import type { LoggedDelivery, Order, Tally } from '../tally/tally.ts';
import type { Connection } from './dialect.ts';
import { linkedEntries } from './linked-entries.ts';
import { constant, insertion, run, statement } from './statement.ts';
import type { Tables } from './tables.ts';

/** The tally over SQL, for use inside a transaction of `connection`. */
export function sqlTally(db: Kysely<Tables>, connection: Connection): Tally {
  const insertDelivery = insertion<LoggedDelivery>()((argument) =>
    db
      .insertInto('deliveries')
      .values({
        received_at: argument('receivedAt'),
        family: argument('family'),
        listing: argument('listing'),
        kind: argument('kind'),
        outcome: argument('outcome'),
        reason: argument('reason'),
        user_id: argument('userId'),
        credits: argument('credits'),
        event_key: argument('eventKey'),
        body: argument('body'),
      })
      .onConflict((conflict) => conflict.column('event_key').doNothing()),
  );
  const insertEntry = insertion<Entry & { previous: number | null }>()((argument) =>
    db.insertInto('entries').values({
      user_id: argument('userId'),
      listing: argument('listing'),
      credits: argument('credits'),
      cause: argument('cause'),
      reason: argument('reason'),
      at: argument('at'),
      delivery_id: argument('deliveryId'),
      previous: argument('previous'),
    }),
  );
  const findBalance = statement<{ userId: string }>()((argument) =>
    db
      .selectFrom('balances')
      .select(['credits', 'votes', 'last_entry', 'last_votes'])
      .where('user_id', '=', argument('userId')),
  );
  const saveBalance = statement<Omit<Passbook, 'lastVotes'> & { lastVotes: string }>()((argument) =>
    db
      .insertInto('balances')
      .values({
        user_id: argument('userId'),
        credits: argument('credits'),
        votes: argument('votes'),
        last_entry: argument('lastEntry'),
        last_votes: argument('lastVotes'),
      })
      .onConflict((conflict) =>
        conflict.column('user_id').doUpdateSet(({ ref }) => ({
          credits: ref('excluded.credits'),
          votes: ref('excluded.votes'),
          last_entry: ref('excluded.last_entry'),
          last_votes: ref('excluded.last_votes'),
        })),
      ),
  );
  const insertEffect = statement<Omit<NewEffect, 'announcement'> & { content: string }>()((argument) =>
    db.insertInto('effects').values({
      delivery_id: argument('deliveryId'),
      kind: argument('kind'),
      channel_id: argument('channelId'),
      content: argument('content'),
      state: constant('waiting'),
      attempts: constant(0),
      due_at: argument('createdAt'),
      created_at: argument('createdAt'),
    }),
  );

  return {
    log: (delivery) => insertDelivery(connection, delivery),

    async relog(id, delivery) {
      if (delivery.eventKey !== null) {
        const [taken] = await run(
          connection,
          db.selectFrom('deliveries').select('id').where('event_key', '=', delivery.eventKey),
        );
        if (taken !== undefined) return false;
      }
      const { listing, kind, outcome, reason, userId: user_id, credits, eventKey: event_key } = delivery;
      const rewritten = await run(
        connection,
        db
          .updateTable('deliveries')
          .set({ listing, kind, outcome, reason, user_id, credits, event_key })
          .where('id', '=', id)
          .where('outcome', '=', 'quarantined')
          .returning('id'),
      );
      return rewritten.length > 0;
    },

    async passbook(userId) {
      const [row] = await findBalance(connection, { userId });
      if (row === undefined) return emptyPassbook(userId);
      const { credits, votes, last_entry: lastEntry, last_votes: lastVotes } = row;
      return { userId, credits, votes, lastEntry, lastVotes: JSON.parse(lastVotes) };
    },

    async append(passbook, entry) {
      const id = await insertEntry(connection, { ...entry, previous: passbook.lastEntry });
      if (id === null) throw new Error('An entry was not written.');
      const after = withEntry(passbook, entry, id);
      await saveBalance(connection, { ...after, lastVotes: JSON.stringify(after.lastVotes) });
      return after;
    },

    async hasVoteBetween({ lastEntry }, listing, after, before) {
      const votes = linkedEntries(db, lastEntry)
        .selectFrom('linked')
        .select('id')
        .where('at', '>', after)
        .where('at', '<', before)
        .where('listing', '=', listing)
        .where('cause', 'in', countedVotes.map(constant));
      return (await run(connection, votes.limit(1))).length > 0;
    },

    async hasUntimedVoteBetween({ lastEntry }, listing, after, before) {
      const rows = await run(
        connection,
        linkedEntries(db, lastEntry)
          .selectFrom('linked')
          .innerJoin('deliveries', 'deliveries.id', 'linked.delivery_id')
          .select('linked.id')
          .where('linked.at', '>', after)
          .where('linked.at', '<', before)
          .where('linked.listing', '=', listing)
          .where('deliveries.event_key', 'like', `% ${untimed}`)
          .limit(1),
      );
      return rows.length > 0;
    },

    async enqueue({ announcement, ...effect }) {
      await insertEffect(connection, { ...effect, content: JSON.stringify(announcement) });
    },

    async hasEvent(eventKeys) {
      const known = db.selectFrom('deliveries').select('id').where('event_key', 'in', eventKeys).limit(1);
      return (await run(connection, known)).length > 0;
    },

    async findOrder(orderIds) {
      if (orderIds.length === 0) return null;
      const named = db.selectFrom('order_names').select('order_id').where('name', 'in', orderIds);
      const orders = await run(connection, db.selectFrom('orders').selectAll().where('id', 'in', named).orderBy('id'));
      const names = await run(connection, db.selectFrom('order_names').selectAll().where('order_id', 'in', named));
      return orders
        .map((order) => orderOf(order, names))
        .reduce<Order | null>((whole, order) => (whole === null ? order : merged(whole, order)), null);
    },

    async saveOrder(order, at) {
      const [id] = order.orderIds;
      if (id === undefined) return;
      const row = rowOfOrder(order, at);
      await run(
        connection,
        db
          .insertInto('orders')
          .values({ id, ...row })
          .onConflict((conflict) => conflict.column('id').doUpdateSet(row)),
      );
      const names = order.orderIds.map((name) => ({ name, order_id: id }));
      await run(
        connection,
        db
          .insertInto('order_names')
          .values(names)
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ order_id: id })),
      );
      await run(connection, db.deleteFrom('orders').where('id', 'in', order.orderIds).where('id', '<>', id));
    },
  };
}

function orderOf(row: Selectable<Tables['orders']>, names: readonly Selectable<Tables['order_names']>[]): Order {
  const { id, listing, user_id: userId, tier, state, period_end: periodEnd } = row;
  const others = names.filter(({ name, order_id }) => order_id === id && name !== id).map(({ name }) => name);
  return { orderIds: [id, ...others], listing, userId, tier, state, periodEnd };
}

function rowOfOrder({ listing, userId, tier, state, periodEnd }: Order, at: number) {
  return { listing, user_id: userId, tier, state, period_end: periodEnd, updated_at: at };
}
