import type { Feature } from '../../core/feature.ts';
import { effects } from './effects.ts';
import { countForParty, partyRow } from './on-vote.ts';
import * as sql from './store.ts';
import { deleteParties, lockUnpaidParties, tables } from './tables.ts';

export const party = {
  sql,
  tables,
  effects,
  onVote: { of: { rule: 'party' }, reads: partyRow, call: countForParty },
  beforeForgetting: lockUnpaidParties,
  deleteOfGuild: deleteParties,
  load: () => import('./parts.ts'),
} satisfies Feature;
