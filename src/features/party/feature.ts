import type { Feature } from '../../core/feature.ts';
import { effects } from './effects.ts';
import { countForParty } from './on-vote.ts';
import * as sql from './store.ts';
import { lockUnpaidParties, tables } from './tables.ts';

export const party = {
  sql,
  tables,
  effects,
  onVote: { of: 'a listing with a party', call: countForParty },
  beforeForgetting: lockUnpaidParties,
  load: () => import('./parts.ts'),
} satisfies Feature;
