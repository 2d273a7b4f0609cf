import type { Feature } from '../../core/feature.ts';

export const roles = { load: () => import('./parts.ts') } satisfies Feature;
