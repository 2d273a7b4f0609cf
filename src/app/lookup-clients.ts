import type { ListedLookup } from '../../commands/command.ts';
import type { Config, ListingConfig } from '../../config/schema.ts';
import type { Metrics } from '../http/metrics/metrics.ts';
import { createLookup, createRotatableClient, type LookupOptions } from '../lookup/client.ts';
import type { KeyStatus, LookupClient } from '../lookup/lookup.ts';
import type { Clock } from '../platform/clock.ts';
import { second } from '../platform/durations.ts';
import type { Log } from '../platform/log.ts';
import type { Store } from '../store/store.ts';

/** A deferred command must respond within 15 s of the interaction. */
const requestTimeoutMs = 9 * second;

/** The lookup clients of all listings that have an API key. */
export interface LookupClients {
  /** Servers before bots. */
  readonly listings: readonly ListedLookup[];
  /** The status of each listing's key, by the listing's name. */
  keyStatuses(): Promise<ReadonlyMap<string, KeyStatus>>;
  /**
   * Checks the API keys of these listings and returns a function that puts them into use.
   * @throws TallyhookError `lookup_key_malformed`
   */
  prepareKeys(listings: readonly ListingConfig[]): () => void;
}

export interface LookupClientDependencies {
  readonly store: Store;
  readonly cache: NonNullable<LookupOptions['cache']>;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
}

/** Creates the clients without a request. @throws TallyhookError `lookup_key_malformed` */
export function createLookupClients(
  config: Config,
  { store, cache, metrics, clock, log }: LookupClientDependencies,
): LookupClients {
  const clients = config.listings
    .filter((listing) => listing.lookupKey !== null)
    .map((listing) => ({
      name: listing.name,
      ...createRotatableClient((key) => createClient(listing, key), listing.lookupKey ?? ''),
    }))
    .toSorted((a, b) => Number(a.lookup.kind === 'bot') - Number(b.lookup.kind === 'bot'));

  function createClient({ kind, name, rewards }: ListingConfig, key: string): LookupClient {
    return createLookup({
      kind,
      baseUrl: config.lookup.baseUrl,
      key,
      cache,
      budget: store.budgetStore,
      clock,
      log,
      timeoutMs: requestTimeoutMs,
      lastVote: (userId) => store.ledger.lastVoteAt(userId, name),
      cooldownMs: rewards.base.cooldownMs,
      observe(observed) {
        const { event, resource } = observed;
        metrics.lookups.inc({ listing: name, event, resource });
        if (event === 'failed') metrics.lookupFailures.inc({ listing: name, code: observed.code });
      },
      observeAge: (resource, age) => metrics.lookupAge.observe({ listing: name, resource }, age / second),
    });
  }

  return {
    listings: clients,
    keyStatuses: async () =>
      new Map(await Promise.all(clients.map(async ({ name, lookup }) => [name, await lookup.keyStatus()] as const))),
    prepareKeys(listings) {
      const keyOf = (name: string) => listings.find((listing) => listing.name === name)?.lookupKey;
      const replacements = clients.flatMap(({ name, prepare }) => {
        const key = keyOf(name);
        return key ? [prepare(key)] : [];
      });
      return () => {
        for (const replace of replacements) replace();
      };
    },
  };
}
