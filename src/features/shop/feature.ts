import type { Feature } from '../../core/feature.ts';
import { directMessages, ownerReports } from './effects.ts';

export const shop = { directMessages, ownerReports } satisfies Feature;
