import type { Kysely } from 'kysely';
import { literal } from './query-builder.ts';
import type { Tables } from './tables.ts';

/** The waiting effects. The index `effects_by_channel` has them by channel and due time. */
export function waitingIn(db: Kysely<Tables>) {
  return db.selectFrom('effects').where('state', '=', literal('waiting'));
}

/**
 * The ids of the channels with waiting effects as the table `channels`, for a query that follows: at most `limit` ids
 * after `channelId`, in their order, with an extra row of null after the last channel. One index seek per channel,
 * however many effects are waiting.
 */
export function waitingChannels(db: Kysely<Tables>, channelId: string, limit = 2 ** 31 - 1) {
  return db.withRecursive('channels', (cte) =>
    cte
      .selectFrom('effects')
      .select(({ fn, lit }) => [fn.min<string | null>('channel_id').as('id'), lit(1).as('position')])
      .where('state', '=', literal('waiting'))
      .where('channel_id', '>', channelId)
      .unionAll((union) =>
        union
          .selectFrom('channels')
          .select((eb) => [
            eb
              .selectFrom('effects')
              .select(({ fn }) => fn.min<string | null>('channel_id').as('next'))
              .where('state', '=', literal('waiting'))
              .whereRef('channel_id', '>', 'channels.id')
              .as('id'),
            eb('position', '+', 1).as('position'),
          ])
          .where('channels.id', 'is not', null)
          .where('position', '<', limit),
      ),
  );
}
