import type { Feature } from '../../core/feature.ts';

export const setup = { load: () => import('./parts.ts') } satisfies Feature;
