import type { Feature } from '../../core/feature.ts';
import { directMessages } from './effects.ts';

export const communities = { directMessages } satisfies Feature;
