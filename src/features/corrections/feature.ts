import type { Feature } from '../../core/feature.ts';
import * as sql from './store.ts';

export const corrections = { sql } satisfies Feature;
