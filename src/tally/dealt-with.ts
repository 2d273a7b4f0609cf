import type { Recorded } from './tally.ts';

/** What becomes of a delivery whose row is quarantined no more: another replay of it was quicker, and nothing is left to do. */
export const dealtWith: Recorded = { outcome: 'duplicate', deliveryId: 0, credits: 0, reason: null };
