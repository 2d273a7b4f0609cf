import type { Feature } from '../../core/feature.ts';

export const lostVotes = { load: () => import('./parts.ts') } satisfies Feature;
