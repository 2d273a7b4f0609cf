import type { Feature } from '../../core/feature.ts';
import { directMessages, ownerReports } from './effects.ts';

export const shop = { directMessages, ownerReports, load: () => import('./parts.ts') } satisfies Feature;
