import type { Feature } from '../../core/feature.ts';
import { effects } from './effects.ts';
import * as sql from './store.ts';
import { tables } from './tables.ts';

export const reviews = { sql, tables, effects, load: () => import('./parts.ts') } satisfies Feature;
