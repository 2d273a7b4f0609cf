import type { Feature } from '../../core/feature.ts';
import { deleteRowsByKey } from '../../core/store/guild-data.ts';
import type { TokenTables } from './store.ts';
import * as sql from './store.ts';

const exported = [
  ...['id', 'community_id', 'name', 'scopes', 'created_at', 'created_by', 'expires_at', 'used_at', 'revoked_at'],
] as const satisfies readonly (keyof TokenTables['api_tokens'])[];

export const tokens = {
  sql,
  tables: {
    api_tokens: {
      // Without the digest, which is of no use to the member.
      select: (db, { userId }) => [db.selectFrom('api_tokens').select(exported).where('created_by', '=', userId)],
      // It stays valid: it is the community's.
      forget: (db, { userId }, created_by) => [
        db.updateTable('api_tokens').set({ created_by }).where('created_by', '=', userId),
      ],
    },
  },
  deleteOfGuild: deleteRowsByKey<TokenTables>('api_tokens', 'community_id', ['id']),
} satisfies Feature<TokenTables>;

export type { Tokens } from './tokens.ts';
