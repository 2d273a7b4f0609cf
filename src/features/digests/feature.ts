import type { Feature } from '../../core/feature.ts';
import * as sql from './store.ts';
import { deleteDigests, digestKind } from './store.ts';

export const digests = {
  sql,
  effects: [digestKind],
  deleteOfGuild: deleteDigests,
} satisfies Feature;
