import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { type BudgetStore, createBudget, fingerprint } from './budget.ts';
import { profileEndpoint } from './endpoints.ts';
import { createHttp } from './http.ts';
import type { ListingKind } from './lookup.ts';
import { LookupError } from './lookup-error.ts';
import type { ProfileByKind } from './schemas.ts';

/** At least the timeout of every client that shares the budget (ms): the budget's proof needs the longest one. */
const maxTimeoutMs = 20 * second;

/**
 * Requests the profile that a key belongs to, without the cache, for a current result. The request is counted in the
 * budget.
 * @param options.timeoutMs at most 20,000 ms
 * @throws LookupError
 * @throws TallyhookError `lookup_key_malformed`
 */
export async function fetchProfileOfKey(options: {
  kind: ListingKind;
  baseUrl: string;
  key: string;
  budget: BudgetStore;
  clock: Clock;
  timeoutMs: number;
}): Promise<ProfileByKind[ListingKind]> {
  const { kind, key, clock } = options;
  const http = createHttp(options);
  const deadline = clock.monotonic() + options.timeoutMs;
  const budget = createBudget({ log: options.budget, keyId: fingerprint(key), timeoutMs: maxTimeoutMs, clock });
  await budget.acquire();
  const endpoint = profileEndpoint[kind];
  const response = await http.get(endpoint.request(kind), deadline);
  const profile = endpoint.parse(response, clock.now(), kind);
  if (!profile.success) {
    throw new LookupError('lookup_wrong_shape', `The profile of the ${kind} does not match the document.`);
  }
  return profile.data;
}
