import type { Feature } from '../../core/feature.ts';
import * as sql from './store.ts';
import { deleteGrants } from './store.ts';

export const roles = { sql, deleteOfGuild: deleteGrants, load: () => import('./parts.ts') } satisfies Feature;
