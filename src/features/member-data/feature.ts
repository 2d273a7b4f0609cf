import type { Feature } from '../../core/feature.ts';
import * as sql from './store.ts';

export const memberData = { sql, load: () => import('./parts.ts') } satisfies Feature;
