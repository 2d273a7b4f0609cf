import { Counter, Gauge, type Registry } from 'prom-client';

export interface OutboxMetrics {
  /** Effects, not messages; `outcome` as in {@link Attempt}, so what is given up for its age counts as `later`. */
  readonly attempts: Counter<'outcome'>;
}

export interface OutboxSources {
  /** How many effects wait and how many are buried. */
  effects(): Promise<{ readonly waiting: number; readonly buried: number }>;
  /** Since when the oldest effect waits (ms since the epoch); null when none does. */
  waitingSince(): Promise<number | null>;
}

/** What still has to be done. */
export function outboxMetrics(registry: Registry, sources: OutboxSources & { now(): number }): OutboxMetrics {
  const registers = [registry];
  new Gauge({
    name: 'tallyhook_effects',
    help: 'Effects in the outbox, by state.',
    labelNames: ['state'],
    registers,
    async collect() {
      this.reset();
      const sizes = await sources.effects().catch(() => ({}));
      for (const [state, count] of Object.entries(sizes)) this.set({ state }, count);
    },
  });
  new Gauge({
    name: 'tallyhook_effects_oldest_waiting_seconds',
    help: 'How long the oldest effect waits; 0 when none does.',
    registers,
    async collect() {
      this.reset();
      const since = await sources.waitingSince().catch(() => Number.NaN);
      this.set(since === null ? 0 : Math.max(0, sources.now() - since) / 1_000);
    },
  });
  const attempts = new Counter({
    name: 'tallyhook_effect_attempts_total',
    help: 'Effects that an attempt was made at, by what became of it.',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of ['done', 'later', 'split', 'bury']) attempts.inc({ outcome }, 0);
  return { attempts };
}
