import type { Feature } from '../../core/feature.ts';
import * as sql from './store.ts';
import { deleteLostStreaks, lostStreaksKind } from './store.ts';

export const lostStreaks = {
  sql,
  effects: [lostStreaksKind],
  deleteOfGuild: deleteLostStreaks,
} satisfies Feature;

export type { LostStreakStore } from './store.ts';
