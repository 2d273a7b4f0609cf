import type { Feature } from '../../core/feature.ts';
import { directMessages } from './effects.ts';

export const communities = { directMessages, load: () => import('./parts.ts') } satisfies Feature;
