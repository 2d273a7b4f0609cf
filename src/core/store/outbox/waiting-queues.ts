import type { Kysely } from 'kysely';
import { literal } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** The waiting effects. The index `effects_by_channel` has them by queue and due time. */
export function waitingIn(db: Kysely<Tables>) {
  return db.selectFrom('effects').where('state', '=', literal('waiting'));
}

/**
 * The names of the queues with waiting effects as the table `queues`, for a query that follows: at most `limit` names
 * after `after`, in their order, with an extra row of null after the last one. One index seek per queue, however many
 * effects are waiting.
 */
export function waitingQueues(db: Kysely<Tables>, after: string, limit = 2 ** 31 - 1) {
  return db.withRecursive('queues', (cte) =>
    cte
      .selectFrom('effects')
      .select(({ fn, lit }) => [fn.min<string | null>('queue').as('name'), lit(1).as('position')])
      .where('state', '=', literal('waiting'))
      .where('queue', '>', after)
      .unionAll((union) =>
        union
          .selectFrom('queues')
          .select((eb) => [
            eb
              .selectFrom('effects')
              .select(({ fn }) => fn.min<string | null>('queue').as('next'))
              .where('state', '=', literal('waiting'))
              .whereRef('queue', '>', 'queues.name')
              .as('name'),
            eb('position', '+', 1).as('position'),
          ])
          .where('queues.name', 'is not', null)
          .where('position', '<', limit),
      ),
  );
}
