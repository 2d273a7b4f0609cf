import type { ListedLookup } from '../../commands/command.ts';
import type { Config, ListingConfig } from '../../config/schema.ts';
import type { Metrics } from '../http/metrics/metrics.ts';
import { createLookup, createRotatableClient, type LookupOptions } from '../lookup/client.ts';
import type { KeyStatus, LookupClient } from '../lookup/lookup.ts';
import type { Clock } from '../platform/clock.ts';
import { second } from '../platform/durations.ts';
import type { Log } from '../platform/log.ts';
import type { Store } from '../store/store.ts';
import { lookupMetricsFor } from './instrument.ts';

/** How long the service may take to answer (ms): a deferred command has until 15 s after the question. */
const requestTimeoutMs = 9 * second;

/** A lookup client for each listing that has an API key. */
export interface LookupClients {
  /** The server's before the bot's. */
  readonly listings: readonly ListedLookup[];
  /** How it stands with the key of each listing, by its name. */
  keyStatuses(): Promise<ReadonlyMap<string, KeyStatus>>;
  /** Makes all ready for the API keys of these listings and returns what then exchanges them. Throws TallyhookError `lookup_key_malformed`. */
  prepareKeys(next: readonly ListingConfig[]): () => void;
}

/** What the clients share. */
export interface LookupClientDependencies {
  readonly store: Store;
  readonly cache: NonNullable<LookupOptions['cache']>;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
}

/** Asks nothing yet. @throws TallyhookError `lookup_key_malformed` */
export function createLookupClients(
  config: Config,
  { store, cache, metrics, clock, log }: LookupClientDependencies,
): LookupClients {
  const keyed = config.listings
    .filter((listing) => listing.lookupKey !== null)
    .map((listing) => ({
      name: listing.name,
      ...createRotatableClient((key) => lookupOf(listing, key), listing.lookupKey ?? ''),
    }))
    .toSorted((a, b) => Number(a.lookup.kind === 'bot') - Number(b.lookup.kind === 'bot'));

  function lookupOf({ kind, name, rules }: ListingConfig, key: string): LookupClient {
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
      cooldownMs: rules.cooldownMs,
      ...lookupMetricsFor(name, metrics),
    });
  }

  return {
    listings: keyed,
    keyStatuses: async () =>
      new Map(await Promise.all(keyed.map(async ({ name, lookup }) => [name, await lookup.keyStatus()] as const))),
    prepareKeys(next) {
      const keyOf = (name: string) => next.find((listing) => listing.name === name)?.lookupKey;
      const prepared = keyed.flatMap(({ name, prepare }) => {
        const key = keyOf(name);
        return key ? [prepare(key)] : [];
      });
      return () => {
        for (const exchange of prepared) exchange();
      };
    },
  };
}
