import { day, hour, minute, second } from '@tallyhook/platform/durations';
import { addGauge, type GaugeOptions } from '@tallyhook/platform/http/gauge';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { bonusCauses } from './ledger/entry.ts';

/** Values that are read at each scrape. They must be cheap; one that rejects does not affect the others. */
export interface MetricSources {
  /** Transactions that wait for the database. */
  waitingTransactions(): number;
  /** The number of effects by state. */
  effects(): Promise<{ readonly waiting: number; readonly buried: number }>;
  /** When the oldest waiting effect was created (ms since the epoch); null if none waits. */
  waitingSince(): Promise<number | null>;
  /** ms since the epoch. */
  now(): number;
  /** By the name of the listing. */
  keys(): Promise<ReadonlyMap<string, KeyStatus>>;
  /** True if the bot is connected to Discord's gateway; null if this process does not use it. */
  isConnected(): boolean | null;
  /** Requests that Discord rejected with 401, 403 or 429 in the last ten minutes. */
  invalidRequests(): number;
  /** Channels and roles that Discord rejects, whose effects wait. */
  stopped(): { readonly channels: number; readonly roles: number };
  /** Guilds whose requests are paused, because Discord rejected too many. */
  pausedGuilds(): number;
}

interface KeyStatus {
  readonly keyRefused: boolean;
  readonly wrongShape: boolean;
  /** Requests left in the budget; null if the request log cannot be read. */
  readonly budgetLeft: number | null;
}

/** Seconds. */
const deliveryBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5];
const commandBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 20];
const ages = [second, 30 * second, minute, 5 * minute, 15 * minute, hour, 6 * hour, day, 7 * day];

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * All metrics, with the prefix `tallyhook_`, for `GET /metrics` (Prometheus text format), in their own registry, with
 * prom-client's default metrics of the process. Durations are in seconds. No label contains untrusted input, so the
 * number of time series is bounded. Described in `docs/operations.md`.
 */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: 'tallyhook_' });

  /** Registers a counter, also of a feature. To be called once for a name. */
  function counter<Label extends string>({
    name,
    help,
    labels,
    zero = [],
  }: {
    /** The name with the prefix `tallyhook_`. */
    readonly name: string;
    readonly help: string;
    readonly labels: readonly Label[];
    /** Series that are shown before they were counted: one that first appears with 1 has not increased for Prometheus. */
    readonly zero?: readonly Readonly<Record<Label, string>>[];
  }): Counter<Label> {
    const created = new Counter({ name, help, labelNames: labels, registers });
    for (const series of zero) created.inc(series, 0);
    return created;
  }

  return {
    /** `outcome` is `refused` for every status but 200. */
    deliveries: counter({
      name: 'tallyhook_deliveries_total',
      help: 'Responses to deliveries, by HTTP status and outcome.',
      labels: ['status', 'outcome'],
      zero: [
        ...['recorded', 'duplicate', 'test', 'quarantined', 'ignored'].map((outcome) => ({ status: '200', outcome })),
        ...['401', '503'].map((status) => ({ status, outcome: 'refused' })),
      ],
    }),
    /** `reason` is `path`, a POST below /webhooks without an address, or `no_http`. */
    misdirected: counter({
      name: 'tallyhook_misdirected_total',
      help: 'Requests that reach no webhook: POSTs to unknown paths below /webhooks (path), bytes that are no HTTP (no_http).',
      labels: ['reason'],
      zero: [{ reason: 'path' }, { reason: 'no_http' }],
    }),
    deliverySeconds: new Histogram({
      name: 'tallyhook_delivery_seconds',
      help: 'Time from the headers of a delivery to its response, in seconds.',
      buckets: deliveryBuckets,
      registers,
    }),
    commitSeconds: new Histogram({
      name: 'tallyhook_commit_seconds',
      help: 'Time to commit a delivery, including the wait for other transactions, in seconds.',
      buckets: deliveryBuckets,
      registers,
    }),
    /** `cause` as in `Cause`. */
    entries: counter({
      name: 'tallyhook_entries_total',
      help: 'Entries written for deliveries, by cause.',
      labels: ['cause'],
      zero: ['vote', 'denied', 'premium', ...bonusCauses].map((cause) => ({ cause })),
    }),
    /**
     * Counts effects, not messages; `kind` and `outcome` as in `ClaimedEffect` and `AttemptResult`. An effect that is
     * buried for its age counts as `later`.
     */
    attempts: counter({
      name: 'tallyhook_effect_attempts_total',
      help: 'Effects attempted, by kind and outcome (done, later, split, bury).',
      labels: ['kind', 'outcome'],
      zero: ['done', 'later', 'split', 'bury'].map((outcome) => ({ kind: 'announcement', outcome })),
    }),
    /** `event` and `resource` as in `LookupEvent`. */
    lookups: counter({
      name: 'tallyhook_lookups_total',
      help: 'Lookups, by result (fact, hit, joined, asked, miss, stale, failed; see docs/operations.md).',
      labels: ['listing', 'event', 'resource'],
    }),
    /** `code` is a `LookupErrorCode`. */
    lookupFailures: counter({
      name: 'tallyhook_lookup_failures_total',
      help: 'Lookups that failed at the service or for lack of budget, by error code.',
      labels: ['listing', 'code'],
    }),
    lookupAge: new Histogram({
      name: 'tallyhook_lookup_age_seconds',
      help: 'Age of lookup data served to members, in seconds.',
      labelNames: ['listing', 'resource'],
      buckets: ages.map((age) => age / second),
      registers,
    }),
    /** `outcome` is `answered` or `failed`. Unknown commands are not counted. */
    commands: counter({
      name: 'tallyhook_commands_total',
      help: 'Slash commands and buttons handled, by outcome.',
      labels: ['command', 'outcome'],
    }),
    commandSeconds: new Histogram({
      name: 'tallyhook_command_seconds',
      help: 'Time from an interaction to its complete response, in seconds.',
      labelNames: ['command'],
      buckets: commandBuckets,
      registers,
    }),
    interactionRequests: counter({
      name: 'tallyhook_interaction_requests_total',
      help: 'Requests to POST /interactions, by HTTP status.',
      labels: ['status'],
    }),
    counter,
    /** Registers a gauge of a feature. */
    gauge: (options: GaugeOptions) => addGauge(registry, options),
    /** Registers the gauges that read `sources`. To be called once. */
    watch: (sources: MetricSources) => watchSources(registry, sources),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

function watchSources(registry: Registry, sources: MetricSources): void {
  const gauge = (options: GaugeOptions) => addGauge(registry, options);
  gauge({
    name: 'tallyhook_transactions_waiting',
    help: 'Transactions that wait for the database.',
    read: () => sources.waitingTransactions(),
  });
  gauge({
    name: 'tallyhook_effects',
    help: 'Effects in the outbox, by state.',
    label: 'state',
    read: async () => ({ ...(await sources.effects()) }),
  });
  gauge({
    name: 'tallyhook_effects_oldest_waiting_seconds',
    help: 'Age of the oldest waiting effect, in seconds; 0 if none waits.',
    async read() {
      const since = await sources.waitingSince();
      return since === null ? 0 : Math.max(0, sources.now() - since) / second;
    },
  });
  /** A value per key; a null value is left out. */
  const readKeys = (read: (key: KeyStatus) => number | null) => async () => {
    const values = [...(await sources.keys())].map(([listing, key]) => [listing, read(key)] as const);
    return Object.fromEntries(values.filter((entry): entry is [string, number] => entry[1] !== null));
  };
  gauge({
    name: 'tallyhook_lookup_budget_left',
    help: 'Lookup requests left in the budget of 120 per minute and key.',
    label: 'listing',
    read: readKeys(({ budgetLeft }) => budgetLeft),
  });
  gauge({
    name: 'tallyhook_lookup_key_refused',
    help: 'Whether the service rejects the API key of a listing (1) or not (0).',
    label: 'listing',
    read: readKeys(({ keyRefused }) => Number(keyRefused)),
  });
  gauge({
    name: 'tallyhook_lookup_answers_changed',
    help: "Whether the service's responses differ from the documented format (1) or not (0).",
    label: 'listing',
    read: readKeys(({ wrongShape }) => Number(wrongShape)),
  });
  gauge({
    name: 'tallyhook_gateway_connected',
    help: "Whether the bot is connected to Discord's gateway (1) or not (0).",
    read() {
      const isConnected = sources.isConnected();
      return isConnected === null ? null : Number(isConnected);
    },
  });
  gauge({
    name: 'tallyhook_discord_invalid_requests',
    help: 'Requests that Discord rejected (401, 403, 429) in the last ten minutes, of all processes.',
    read: () => sources.invalidRequests(),
  });
  gauge({
    name: 'tallyhook_discord_stopped',
    help: 'Channels and roles that Discord rejects. Their effects wait; one request a minute tries them again.',
    label: 'kind',
    read: () => ({ channel: sources.stopped().channels, role: sources.stopped().roles }),
  });
  gauge({
    name: 'tallyhook_discord_paused_guilds',
    help: 'Servers for which nothing is sent at the moment, because Discord rejected too many of their requests.',
    read: () => sources.pausedGuilds(),
  });
}
