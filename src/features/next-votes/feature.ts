import type { Feature } from '../../core/feature.ts';
import { storeNextVote } from './on-vote.ts';
import * as sql from './store.ts';
import { deleteNextVotes, tables } from './tables.ts';

export { lastVoteFor } from './store.ts';

export const nextVotes = {
  sql,
  tables,
  deleteOfGuild: deleteNextVotes,
  load: () => import('./parts.ts'),
  onVote: { of: { vote: 'nextVoteAt' }, call: storeNextVote },
} satisfies Feature;
