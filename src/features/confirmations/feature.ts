import type { Feature } from '../../core/feature.ts';
import { effects } from './effects.ts';
import { holdVote } from './hold-vote.ts';
import * as sql from './store.ts';
import { deleteConfirmations, confirmations as table, tables, voteOf } from './tables.ts';

export const confirmations = {
  sql,
  tables,
  effects,
  deleteOfGuild: deleteConfirmations,
  beforeVote: {
    of: { rule: 'confirm' },
    reads: ({ listing, userId }) => ({ table, key: voteOf(listing.name, userId) }),
    call: holdVote,
  },
} satisfies Feature;

export { confirmationQueuesOf, isConfirmationQueue } from './queue.ts';
export { reasons as confirmationReasons } from './reasons.ts';
