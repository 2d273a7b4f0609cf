import { Counter, Gauge, type Registry } from 'prom-client';

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
  new Gauge({
    name: 'tallyhook_party_votes',
    help: 'Counted votes in the current period of the party, and its goal. Missing without a party.',
    labelNames: ['of'],
    registers: [registry],
    async collect() {
      this.reset();
      const party = await sources.party().catch(() => null);
      if (party === null) return;
      this.set({ of: 'counted' }, party.votes);
      this.set({ of: 'goal' }, party.goal);
    },
  });
}
