import type { Feature } from '../../core/feature.ts';
import { effects } from './effects.ts';
import * as sql from './store.ts';
import { deleteDigests } from './store.ts';

export const digests = {
  sql,
  effects,
  deleteOfGuild: deleteDigests,
} satisfies Feature;
