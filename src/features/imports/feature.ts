import type { Feature } from '../../core/feature.ts';
import { tables } from './tables.ts';

export const imports = { tables } satisfies Feature;
