import type { Feature } from '../../core/feature.ts';
import { effects, ownerReports } from './effects.ts';
import * as sql from './store.ts';
import { deleteVotePanel } from './store.ts';

export const votePanel = {
  sql,
  tables: { vote_panels: { withoutMembers: 'Where the message of a guild is.' } },
  effects,
  ownerReports,
  deleteOfGuild: deleteVotePanel,
  load: () => import('./parts.ts'),
} satisfies Feature;
