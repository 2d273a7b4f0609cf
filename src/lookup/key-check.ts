import type { Clock } from '../platform/clock.ts';
import { second } from '../platform/durations.ts';
import { type BudgetStore, createBudget } from './budget.ts';
import { profileEndpoint } from './endpoints.ts';
import { LookupWrongShape } from './failures.ts';
import { fingerprint } from './fingerprint.ts';
import { createHttp } from './http.ts';
import type { ListingKind } from './lookup.ts';
import type { ProfileByKind } from './schemas.ts';

/** Longer than anybody who counts in the same log gives a request (ms): the budget's proof needs the longest of them. */
const longestTimeout = 20 * second;

/**
 * Asks the service once for the listing that a key belongs to, past cache and hold-off, so that what it says is of now.
 * The request is counted in the log before it leaves.
 * @throws LookupFailure
 * @throws TallyhookError `lookup_key_malformed`
 */
export async function fetchProfileOfKey(options: {
  kind: ListingKind;
  baseUrl: string;
  key: string;
  budget: BudgetStore;
  clock: Clock;
  /** How long the service may take (ms), at most 20 seconds. */
  timeoutMs: number;
}): Promise<ProfileByKind[ListingKind]> {
  const { kind, key, clock } = options;
  const http = createHttp(options);
  const deadline = clock.monotonic() + options.timeoutMs;
  await createBudget({ log: options.budget, keyId: fingerprint(key), timeout: longestTimeout, clock }).acquire();
  const endpoint = profileEndpoint[kind];
  const answer = await http.get(endpoint.request(kind), deadline);
  const read = endpoint.read(answer, clock.now());
  if (!read.success) throw new LookupWrongShape(`The profile of the ${kind} is not as documented.`);
  return read.data;
}
