import type { Feature } from '../../core/feature.ts';
import { lostStreaksKind } from './effects.ts';
import * as sql from './store.ts';
import { deleteLostStreaks } from './store.ts';

export const lostStreaks = {
  sql,
  effects: [lostStreaksKind],
  deleteOfGuild: deleteLostStreaks,
} satisfies Feature;
