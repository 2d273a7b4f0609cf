import type { Feature } from '../../core/feature.ts';
import { digestKind } from './effects.ts';
import * as sql from './store.ts';
import { deleteDigests } from './store.ts';

export const digests = {
  sql,
  effects: [digestKind],
  deleteOfGuild: deleteDigests,
} satisfies Feature;
