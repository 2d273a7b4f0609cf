import { Counter, type Registry } from 'prom-client';

export interface RewardMetrics {
  /** `cause` as in `Cause`. */
  readonly entries: Counter<'cause'>;
}

/** What votes and premium earn. */
export function rewardMetrics(registry: Registry): RewardMetrics {
  const entries = new Counter({
    name: 'tallyhook_entries_total',
    help: 'Entries written for deliveries, by cause.',
    labelNames: ['cause'],
    registers: [registry],
  });
  for (const cause of ['vote', 'denied', 'premium', 'streak', 'milestone', 'allListings']) entries.inc({ cause }, 0);
  return { entries };
}
