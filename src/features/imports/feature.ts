import type { Feature } from '../../core/feature.ts';
import * as sql from './store.ts';
import { tables } from './tables.ts';

export const imports = { sql, tables } satisfies Feature;
