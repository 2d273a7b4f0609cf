import type { RecordedDelivery } from './tally.ts';

/** What becomes of a delivery whose row is quarantined no more: another replay of it was quicker, and nothing is left to do. */
export const alreadyReplayed: RecordedDelivery = { outcome: 'duplicate', deliveryId: 0, credits: 0, reason: null };
