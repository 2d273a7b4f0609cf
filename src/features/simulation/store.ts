import { simulateCredits } from './simulate.ts';

export const reads = { simulateCredits };

export const writes = {};
