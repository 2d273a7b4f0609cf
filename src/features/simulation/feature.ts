import type { Feature } from '../../core/feature.ts';
import * as sql from './simulate.ts';

export const simulation = { sql } satisfies Feature;

export { type RuleChange, type SimulatedCredits, simulateCredits, simulatedMs } from './simulate.ts';
