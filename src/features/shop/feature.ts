import type { Feature } from '../../core/feature.ts';
import { directMessages, ownerReports } from './effects.ts';
import { tables } from './tables.ts';

export const shop = { directMessages, ownerReports, tables, load: () => import('./parts.ts') } satisfies Feature;
