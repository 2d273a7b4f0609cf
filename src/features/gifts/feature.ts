import type { Feature } from '../../core/feature.ts';
import { deleteRowsByKey } from '../../core/store/guild-data.ts';
import * as sql from './store.ts';
import { type GiftTables, memberGifts } from './store.ts';

export const gifts = {
  sql,
  tables: { gifts: memberGifts },
  deleteOfGuild: deleteRowsByKey<GiftTables>('gifts', 'community_id', ['community_id', 'confirmation_id']),
} satisfies Feature<GiftTables>;
