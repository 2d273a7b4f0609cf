import type { Feature } from '../../core/feature.ts';
import { directMessages } from './effects.ts';
import * as sql from './store.ts';

export const communities = { sql, directMessages, load: () => import('./parts.ts') } satisfies Feature;
