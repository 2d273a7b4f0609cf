import type { Feature } from '../../core/feature.ts';
import { deleteRowsByKey } from '../../core/store/guild-data.ts';
import type { LostVoteTables } from './store.ts';
import * as sql from './store.ts';

export const lostVotes = {
  sql,
  tables: { listing_beginnings: { withoutMembers: 'Times.' } },
  deleteOfGuild: deleteRowsByKey<LostVoteTables>('listing_beginnings', 'listing', ['listing']),
} satisfies Feature<LostVoteTables>;
