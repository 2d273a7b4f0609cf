import type { Feature } from '../../core/feature.ts';
import { effects } from './effects.ts';
import { callAfterPremium, callAfterVote } from './on-event.ts';
import * as sql from './store.ts';
import { tables } from './tables.ts';

export const handlers = {
  sql,
  tables,
  effects,
  afterVote: callAfterVote,
  afterPremium: callAfterPremium,
} satisfies Feature;
