import type { Feature } from '../../core/feature.ts';
import { effects } from './effects.ts';
import * as sql from './store.ts';

export const lostStreaks = { sql, effects, load: () => import('./parts.ts') } satisfies Feature;
