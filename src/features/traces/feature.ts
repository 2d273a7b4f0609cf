import type { Feature } from '../../core/feature.ts';

export const traces = { load: () => import('./parts.ts') } satisfies Feature;
