import type { Feature } from '../../core/feature.ts';
import { effects } from './effects.ts';
import * as sql from './store.ts';
import { deleteLostStreaks } from './store.ts';

export const lostStreaks = {
  sql,
  effects,
  deleteOfGuild: deleteLostStreaks,
} satisfies Feature;
