import type { Feature } from '../../core/feature.ts';
import { ownerReports } from './effects.ts';
import { holdVote } from './hold-vote.ts';
import * as sql from './store.ts';
import { deleteRates, rateAlarms as table, tables } from './tables.ts';

export const rateAlarms = {
  sql,
  tables,
  ownerReports,
  deleteOfGuild: deleteRates,
  beforeVote: {
    of: { rule: 'rateAlarm' },
    reads: ({ listing }) => ({ table, key: listing.name }),
    call: holdVote,
  },
  load: () => import('./parts.ts'),
} satisfies Feature;
