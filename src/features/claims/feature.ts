import type { Feature } from '../../core/feature.ts';

export const claims = { load: () => import('./parts.ts') } satisfies Feature;
