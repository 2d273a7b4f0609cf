import type { Feature } from '../../core/feature.ts';

export const announcements = { load: () => import('./parts.ts') } satisfies Feature;
