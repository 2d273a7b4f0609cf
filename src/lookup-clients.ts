import type { ListedLookup } from '../commands/command.ts';
import type { Config, Listing } from '../config/schema.ts';
import { type Clock, second } from './clock.ts';
import type { Log } from './log.ts';
import { createLookup, type LookupOptions, type OwnedLookup } from './lookup/client.ts';
import type { Standing } from './lookup/lookup.ts';
import { createRekeyable } from './lookup/rekeyable.ts';
import { measured } from './measure.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { Store } from './store/store.ts';

/** How long the service may take to answer (ms): a deferred command has until 15 s after the question. */
const patience = 9 * second;

/** A lookup client for each listing that has an API key. */
export interface LookupClients {
  /** The server's before the bot's. */
  readonly listings: readonly ListedLookup[];
  /** How it stands with the key of each listing, by its name. */
  standings(): Promise<ReadonlyMap<string, Standing>>;
  /** Makes all ready for the API keys of these listings and returns what then exchanges them. Throws TallyhookError `lookup_key_malformed`. */
  prepare(next: readonly Listing[]): () => void;
}

/** What the clients share. */
export interface LookupClientParts {
  readonly store: Store;
  readonly cache: NonNullable<LookupOptions['cache']>;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
}

/** Asks nothing yet. @throws TallyhookError `lookup_key_malformed` */
export function createLookupClients(
  config: Config,
  { store, cache, metrics, clock, log }: LookupClientParts,
): LookupClients {
  const keyed = config.listings
    .filter((listing) => listing.lookupKey !== null)
    .map((listing) => ({
      name: listing.name,
      ...createRekeyable((key) => lookupOf(listing, key), listing.lookupKey ?? ''),
    }))
    .toSorted((a, b) => Number(a.lookup.kind === 'bot') - Number(b.lookup.kind === 'bot'));

  function lookupOf({ kind, name, terms }: Listing, key: string): OwnedLookup {
    return createLookup({
      kind,
      baseUrl: config.lookup.baseUrl,
      key,
      cache,
      budget: store.budgetLog,
      clock,
      log,
      timeoutMs: patience,
      lastVote: (userId) => store.ledger.lastVoteAt(userId, name),
      cooldownMs: terms.cooldown,
      ...measured(name, metrics),
    });
  }

  return {
    listings: keyed,
    standings: async () =>
      new Map(await Promise.all(keyed.map(async ({ name, lookup }) => [name, await lookup.standing()] as const))),
    prepare(next) {
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
