import type { Feature } from '../../core/feature.ts';
import { deleteRowsByKey } from '../../core/store/guild-data.ts';
import * as sql from './store.ts';

export const topggConnect = {
  sql,
  tables: {
    // The secret is of no use to the member.
    topgg_connections: {
      select: (db, { userId }) => {
        const columns = ['connection_id', 'listing', 'user_id', 'kind', 'target_id', 'guild_id', 'at'] as const;
        return [db.selectFrom('topgg_connections').select(columns).where('user_id', '=', userId)];
      },
      forget: (db, { userId }, user_id) => [
        // What is held is for the member alone; what is linked is the guild's.
        db.deleteFrom('topgg_connections').where('user_id', '=', userId).where('guild_id', 'is', null),
        db.updateTable('topgg_connections').set({ user_id }).where('user_id', '=', userId),
      ],
    },
  },
  deleteOfGuild: deleteRowsByKey('topgg_connections', 'guild_id', ['connection_id']),
} satisfies Feature;

export { connectionContext } from './store.ts';
