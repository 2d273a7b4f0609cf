import type { Config, ListingConfig } from '../../../config/schema.ts';
import type { Store } from '../../features/store.ts';
import { memoryBudgetStore } from '../../lookup/budget.ts';
import { fetchProfileOfKey } from '../../lookup/key-check.ts';
import type { Clock } from '../../platform/clock.ts';
import type { DatabaseStatus } from '../../platform/database/snapshots/database-status.ts';
import { second } from '../../platform/durations.ts';
import { plainName } from '../../platform/truncate.ts';

/** Timeout of a request to the service (ms). */
const requestTimeoutMs = 6 * second;

export type KeyProfile = Awaited<ReturnType<typeof fetchProfileOfKey>>;

/** The profile of the listing that an API key belongs to, or an error, mostly a `LookupError`. */
export type KeyResult = { readonly listing: ListingConfig } & (
  | { readonly profile: KeyProfile }
  | { readonly error: unknown }
);

/** A listing by its name on the service, with the configured one if it differs. */
export type TitleOf = (listing: string) => string;

export function titlesOf(results: readonly KeyResult[] | null): TitleOf {
  const names = new Map(
    (results ?? []).flatMap((each) => ('profile' in each ? [[each.listing.name, each.profile.name]] : [])),
  );
  return (listing) => {
    const name = plainName(names.get(listing) ?? '');
    return name === '' || name === listing ? listing : `${name} (${listing})`;
  };
}

/** Asks the service for the profile of each API key; null if the requests cannot be counted. */
export async function fetchProfiles(
  { listings, lookup }: Config,
  { store, status }: { readonly store: Store | null; readonly status: DatabaseStatus },
  clock: Clock,
): Promise<readonly KeyResult[] | null> {
  // Without a database there is no other process that counts requests.
  const budget = store?.budgetStore ?? (status.state === 'absent' ? memoryBudgetStore() : null);
  if (budget === null) return null;
  const options = { baseUrl: lookup.baseUrl, budget, clock, timeoutMs: requestTimeoutMs };
  const keys = listings.flatMap((listing) => (listing.lookupKey === null ? [] : [{ listing, key: listing.lookupKey }]));
  return Promise.all(
    keys.map(({ listing, key }) =>
      fetchProfileOfKey({ ...options, kind: listing.kind, key }).then(
        (profile) => ({ listing, profile }),
        (error: unknown) => ({ listing, error }),
      ),
    ),
  );
}
