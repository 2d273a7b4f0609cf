import { Counter, Histogram, type Registry } from 'prom-client';
import { day, hour, minute, second } from '../../durations.ts';
import { addGauge } from '../gauge.ts';

export interface LookupMetrics {
  /** `event` and `resource` as in `LookupEvent`. */
  readonly lookups: Counter<'listing' | 'event' | 'resource'>;
  /** `code` is a `LookupErrorCode`. */
  readonly lookupFailures: Counter<'listing' | 'code'>;
  /** Seconds. */
  readonly lookupAge: Histogram<'listing' | 'resource'>;
}

interface KeyMetrics {
  readonly keyRefused: boolean;
  readonly wrongShape: boolean;
  /** Requests left in the budget; null if the request log cannot be read. */
  readonly budgetLeft: number | null;
}

export interface LookupSources {
  /** By the name of the listing. */
  keys(): Promise<ReadonlyMap<string, KeyMetrics>>;
}

const ageBuckets = [second, 30 * second, minute, 5 * minute, 15 * minute, hour, 6 * hour, day, 7 * day];

/** Requests to the service and the cache in front of it. */
export function lookupMetrics(registry: Registry): LookupMetrics {
  const registers = [registry];
  return {
    lookups: new Counter({
      name: 'tallyhook_lookups_total',
      help: 'Lookups, by result (fact, hit, joined, asked, miss, stale, failed; see docs/operations.md).',
      labelNames: ['listing', 'event', 'resource'],
      registers,
    }),
    lookupFailures: new Counter({
      name: 'tallyhook_lookup_failures_total',
      help: 'Lookups that failed at the service or for lack of budget, by error code.',
      labelNames: ['listing', 'code'],
      registers,
    }),
    lookupAge: new Histogram({
      name: 'tallyhook_lookup_age_seconds',
      help: 'Age of lookup data served to members, in seconds.',
      labelNames: ['listing', 'resource'],
      buckets: ageBuckets.map((age) => age / second),
      registers,
    }),
  };
}

export function watchLookups(registry: Registry, sources: LookupSources): void {
  /** A gauge with a value per key; a null value is left out. */
  function keyGauge(name: string, help: string, readValue: (key: KeyMetrics) => number | null): void {
    addGauge(registry, { name, help, label: 'listing' }, async () => {
      const values = [...(await sources.keys())].map(([listing, key]) => [listing, readValue(key)] as const);
      return Object.fromEntries(values.filter((entry): entry is [string, number] => entry[1] !== null));
    });
  }

  keyGauge(
    'tallyhook_lookup_budget_left',
    'Lookup requests left in the budget of 120 per minute and key.',
    ({ budgetLeft }) => budgetLeft,
  );
  keyGauge(
    'tallyhook_lookup_key_refused',
    'Whether the service rejects the API key of a listing (1) or not (0).',
    ({ keyRefused }) => Number(keyRefused),
  );
  keyGauge(
    'tallyhook_lookup_answers_changed',
    "Whether the service's responses differ from the documented format (1) or not (0).",
    ({ wrongShape }) => Number(wrongShape),
  );
}
