import { Counter, type Registry } from 'prom-client';
import { addGauge } from '../gauge.ts';

export interface RewardMetrics {
  /** `cause` as in `Cause`. */
  readonly entries: Counter<'cause'>;
}

export interface RewardSources {
  /** The current period of the party: counted votes and the goal; null without a party. */
  party(): Promise<{ readonly votes: number; readonly goal: number } | null>;
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

export function watchRewards(registry: Registry, sources: RewardSources): void {
  const party = {
    name: 'tallyhook_party_votes',
    help: 'Counted votes in the current period of the party, and its goal. Missing without a party.',
    label: 'of',
  };
  addGauge(registry, party, async () => {
    const current = await sources.party();
    return current && { counted: current.votes, goal: current.goal };
  });
}
