import { Counter, type Registry } from 'prom-client';
import { second } from '../../durations.ts';
import { addGauge } from '../gauge.ts';

export interface OutboxMetrics {
  /**
   * Counts effects, not messages; `kind` and `outcome` as in `ClaimedEffect` and `AttemptResult`. An effect that is
   * buried for its age counts as `later`.
   */
  readonly attempts: Counter<'kind' | 'outcome'>;
}

export interface OutboxSources {
  /** The number of effects by state. */
  effects(): Promise<{ readonly waiting: number; readonly buried: number }>;
  /** When the oldest waiting effect was created (ms since the epoch); null if none waits. */
  waitingSince(): Promise<number | null>;
  /** ms since the epoch. */
  now(): number;
}

/** Effects in the outbox. */
export function outboxMetrics(registry: Registry): OutboxMetrics {
  const attempts = new Counter({
    name: 'tallyhook_effect_attempts_total',
    help: 'Effects attempted, by kind and outcome (done, later, split, bury).',
    labelNames: ['kind', 'outcome'],
    registers: [registry],
  });
  for (const outcome of ['done', 'later', 'split', 'bury']) attempts.inc({ kind: 'announcement', outcome }, 0);
  return { attempts };
}

export function watchOutbox(registry: Registry, sources: OutboxSources): void {
  const effects = { name: 'tallyhook_effects', help: 'Effects in the outbox, by state.', label: 'state' };
  addGauge(registry, effects, async () => ({ ...(await sources.effects()) }));
  const oldest = {
    name: 'tallyhook_effects_oldest_waiting_seconds',
    help: 'Age of the oldest waiting effect, in seconds; 0 if none waits.',
  };
  addGauge(registry, oldest, async () => {
    const since = await sources.waitingSince();
    return since === null ? 0 : Math.max(0, sources.now() - since) / second;
  });
}
