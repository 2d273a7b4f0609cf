import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export interface LookupMetrics {
  /** `event` and `resource` as in {@link Observation}. */
  readonly lookups: Counter<'listing' | 'event' | 'resource'>;
  /** `code` is a {@link LookupFailureCode}. */
  readonly lookupFailures: Counter<'listing' | 'code'>;
  /** Seconds. */
  readonly lookupAge: Histogram<'listing' | 'resource'>;
}

/** How it stands with the key of a listing. */
interface Key {
  readonly keyRefused: boolean;
  readonly wrongShape: boolean;
  /** Requests that could leave now; null when the log of requests cannot be read. */
  readonly budgetLeft: number | null;
}

export interface LookupSources {
  /** By the name of the listing. */
  keys(): Promise<ReadonlyMap<string, Key>>;
}

/** In seconds, since Prometheus counts so; those of `clock.ts` are ms. */
const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** What was asked of the service, what was known without asking, and how it stands with the keys. */
export function lookupMetrics(registry: Registry, sources: LookupSources): LookupMetrics {
  const registers = [registry];

  /** A figure of each key; null where it is not known. */
  function perKey(name: string, help: string, read: (key: Key) => number | null): void {
    new Gauge({
      name,
      help,
      labelNames: ['listing'],
      registers,
      async collect() {
        this.reset();
        for (const [listing, key] of await sources.keys().catch(() => [])) {
          const figure = read(key);
          if (figure !== null) this.set({ listing }, figure);
        }
      },
    });
  }

  perKey(
    'tallyhook_lookup_budget_left',
    'Requests that could leave for the service now, of 120 per minute and key.',
    ({ budgetLeft }) => budgetLeft,
  );
  perKey(
    'tallyhook_lookup_key_refused',
    'Whether the service refuses the API key of a listing (1) or not (0).',
    ({ keyRefused }) => Number(keyRefused),
  );
  perKey(
    'tallyhook_lookup_answers_changed',
    'Whether answers of the service are not what its document describes (1) or are (0).',
    ({ wrongShape }) => Number(wrongShape),
  );
  return {
    lookups: new Counter({
      name: 'tallyhook_lookups_total',
      help: 'Questions to the service, by how they were answered.',
      labelNames: ['listing', 'event', 'resource'],
      registers,
    }),
    lookupFailures: new Counter({
      name: 'tallyhook_lookup_failures_total',
      help: 'Questions that the service, or the budget, did not answer, by the reason.',
      labelNames: ['listing', 'code'],
      registers,
    }),
    lookupAge: new Histogram({
      name: 'tallyhook_lookup_age_seconds',
      help: 'How long ago that was said which was answered.',
      labelNames: ['listing', 'resource'],
      buckets: [1, 30, minute, 5 * minute, 15 * minute, hour, 6 * hour, day, 7 * day],
      registers,
    }),
  };
}
