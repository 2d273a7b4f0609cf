import type { Kysely, Selectable } from 'kysely';
import { mergeOrders } from '../../tally/order.ts';
import type { Order, Tally } from '../../tally/tally.ts';
import type { Connection } from '../dialect/dialect.ts';
import { run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** Premium orders and all ids that name them, for use inside a transaction of `connection`. */
export function orderWrites(db: Kysely<Tables>, connection: Connection): Pick<Tally, 'findOrder' | 'saveOrder'> {
  return {
    async findOrder(orderIds) {
      if (orderIds.length === 0) return null;
      const ids = db.selectFrom('order_names').select('order_id').where('name', 'in', orderIds);
      const orders = await run(connection, db.selectFrom('orders').selectAll().where('id', 'in', ids).orderBy('id'));
      const names = await run(connection, db.selectFrom('order_names').selectAll().where('order_id', 'in', ids));
      return orders
        .map((order) => toOrder(order, names))
        .reduce<Order | null>((merged, order) => (merged === null ? order : mergeOrders(merged, order)), null);
    },

    async saveOrder(order, at) {
      const [id] = order.orderIds;
      if (id === undefined) return;
      const row = toRow(order, at);
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

function toOrder(row: Selectable<Tables['orders']>, names: readonly Selectable<Tables['order_names']>[]): Order {
  const { id, listing, user_id: userId, tier, state, period_end: periodEnd } = row;
  const others = names.filter(({ name, order_id }) => order_id === id && name !== id).map(({ name }) => name);
  return { orderIds: [id, ...others], listing, userId, tier, state, periodEnd };
}

function toRow({ listing, userId, tier, state, periodEnd }: Order, at: number) {
  return { listing, user_id: userId, tier, state, period_end: periodEnd, updated_at: at };
}
