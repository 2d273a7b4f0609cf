import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { settleWithin, Waiters, withTimeout } from '@tallyhook/platform/with-timeout';
import type { Keyv } from 'keyv';
import { z } from 'zod';
import type { Endpoint } from './endpoints.ts';
import { type CacheEntry, type FreshUntil, isExpired, maxAgeMs } from './freshness.ts';
import type { CachedValue, KeyStatus, ObserveLookup, Resource } from './lookup.ts';
import { createRequester, type ErrorReporter, type RequesterOptions } from './request.ts';

/** How long a lookup waits for the service when it can serve an expired entry instead (ms). */
const staleAfterMs = 1.5 * second;

/** How often to look for the response to a request of another process (ms). */
const pollMs = second / 20;

/** After that, a request is sent without a claim (ms). */
const claimTimeoutMs = second / 2;

/** Fresh entries in memory, for repeated lookups without access to the store; a few hundred bytes each. */
const maxEntriesInMemory = 1_000;

/** How long the store is not asked again for an entry that it did not have (ms), unless it is in Redis. */
const missingForMs = 30 * second;

interface ReadThroughOptions<Value> {
  readonly resource: Resource;
  /** The schema of a stored value; a value that does not match is ignored. */
  readonly schema: z.ZodType<Value>;
  readonly freshUntil: FreshUntil<Value>;
  /** Sends a request to the service. Rejects with a LookupError. */
  readonly fetch: (id: string, signal: AbortSignal) => Promise<CacheEntry<Value>>;
  readonly keyOf: (id: string) => string;
  readonly store: ResponseStore;
  /** Null if no other process uses the store. */
  readonly sharedRequests: SharedRequests | null;
  /** How long a request of another process is waited for (ms). */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly observe: ObserveLookup;
}

interface ReadOptions {
  /** Serves only what was requested at this time or later (ms since the epoch); any by default. */
  readonly notBefore?: number | undefined;
  /** False if an expired entry is not served when the service fails or is slow; by default it is. */
  readonly servesStale?: boolean;
  /** That of the caller, who does not wait any longer when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** A read from the store and, if needed, one request, shared by all concurrent lookups of the same id. */
interface Flight<Value> {
  /** Monotonic (ms). */
  readonly startedAt: number;
  readonly storedEntry: Promise<CacheEntry<Value> | null>;
  readonly result: Promise<CacheEntry<Value>>;
  /** Resolves when it can no longer be joined. */
  readonly finished: Promise<void>;
  readonly waiters: Waiters;
}

/**
 * A read-through cache. Serves fresh entries from memory or the store, and otherwise requests a new value, once for all
 * concurrent lookups. Serves an expired entry as stale when the service fails or is slow; a late response is still
 * stored.
 *
 * Of several processes with the same store, one sends the request, and the others wait for its response.
 *
 * The most recently used entries are in memory while they are fresh, so no other process needs to be consulted.
 */
export class ReadThrough<Value> {
  readonly #options: ReadThroughOptions<Value>;
  readonly #entrySchema: z.ZodType<CacheEntry<Value>>;
  readonly #flights = new Map<string, Flight<Value>>();
  /** The ids whose requests are claimed, until their responses are stored. */
  readonly #claimed = new Set<string>();
  readonly #entriesInMemory = new BoundedMap<CacheEntry<Value>>(maxEntriesInMemory);
  /** Until when an id has no entry in the store (monotonic, ms). */
  readonly #missing = new BoundedMap<number>(maxEntriesInMemory);

  constructor(options: ReadThroughOptions<Value>) {
    this.#options = options;
    this.#entrySchema = z.object({ value: options.schema, asOf: z.number() });
  }

  /** The entry, fresh or not, without a request; null if there is none. Never rejects. */
  async lastKnown(id: string): Promise<CacheEntry<Value> | null> {
    const recent = this.#entriesInMemory.get(id);
    if (recent !== undefined) return recent;
    const missingUntil = this.#missing.get(id);
    if (missingUntil !== undefined && this.#options.clock.monotonic() < missingUntil) return null;
    const entry = await this.#options.store.get(this.#options.keyOf(id), this.#entrySchema);
    // Another process may store one at any time.
    const isAlone = this.#options.sharedRequests === null;
    if (entry === null && isAlone) this.#missing.set(id, this.#options.clock.monotonic() + missingForMs);
    return entry;
  }

  /** Rejects with what `fetch` rejects with when there is no entry that can be served. */
  async read(id: string, options: ReadOptions = {}): Promise<CachedValue<Value>> {
    const { notBefore = Number.NEGATIVE_INFINITY, servesStale = true, signal } = options;
    signal?.throwIfAborted();
    const recent = this.#entriesInMemory.get(id);
    if (recent !== undefined && this.#isFresh(recent, notBefore)) {
      this.#options.observe({ event: 'hit', resource: this.#options.resource });
      return { ...recent, stale: false };
    }
    const current = this.#flights.get(id);
    if (current) this.#options.observe({ event: 'joined', resource: this.#options.resource });
    const flight = current ?? this.#start(id, notBefore);
    const leave = flight.waiters.join(signal);
    const served = await this.#serve(flight, notBefore, servesStale).finally(leave);
    if (!current || served.asOf >= notBefore || served.stale) return served;
    // The lookup that was joined had sent its request too early.
    await flight.finished;
    return this.read(id, options);
  }

  async #serve(flight: Flight<Value>, notBefore: number, servesStale: boolean): Promise<CachedValue<Value>> {
    const storedEntry = await flight.storedEntry;
    if (storedEntry === null || !servesStale) return { ...(await flight.result), stale: false };
    if (this.#isFresh(storedEntry, notBefore)) return { ...storedEntry, stale: false };
    const remainingMs = Math.max(0, flight.startedAt + staleAfterMs - this.#options.clock.monotonic());
    const result = await settleWithin(remainingMs, this.#options.clock, flight.result);
    if (result !== undefined) return { ...result, stale: false };
    this.#options.observe({ event: 'stale', resource: this.#options.resource });
    return { ...storedEntry, stale: true };
  }

  #isFresh(entry: CacheEntry<Value>, notBefore: number): boolean {
    const now = this.#options.clock.now();
    return now < this.#options.freshUntil(entry) && !isExpired(entry, now) && entry.asOf >= notBefore;
  }

  #start(id: string, notBefore: number): Flight<Value> {
    const storedEntry = this.#options.store.get(this.#options.keyOf(id), this.#entrySchema);
    const waiters = new Waiters();
    const result = this.#load(id, storedEntry, notBefore, waiters.signal);
    const finished = this.#finish(id, storedEntry, result);
    const flight = { startedAt: this.#options.clock.monotonic(), storedEntry, result, finished, waiters };
    this.#flights.set(id, flight);
    waiters.signal.addEventListener('abort', () => this.#flights.delete(id), { once: true });
    return flight;
  }

  async #load(
    id: string,
    storedEntry: Promise<CacheEntry<Value> | null>,
    notBefore: number,
    signal: AbortSignal,
  ): Promise<CacheEntry<Value>> {
    const entry = await storedEntry;
    const isHit = entry !== null && this.#isFresh(entry, notBefore);
    this.#options.observe({ event: isHit ? 'hit' : 'miss', resource: this.#options.resource });
    const result = isHit ? entry : await this.#fetchOnce(id, notBefore, signal);
    this.#entriesInMemory.set(id, result);
    this.#missing.delete(id);
    return result;
  }

  /** Sends a request, or waits for the response to that of another process, for as long as a request may take. */
  async #fetchOnce(id: string, notBefore: number, signal: AbortSignal): Promise<CacheEntry<Value>> {
    const { sharedRequests, timeoutMs, store, clock } = this.#options;
    if (sharedRequests === null) return this.#options.fetch(id, signal);
    const key = this.#options.keyOf(id);
    const deadline = clock.monotonic() + timeoutMs;
    const claim = async () => (await settleWithin(claimTimeoutMs, clock, sharedRequests.claim(key, timeoutMs))) ?? true;
    while (!(await claim())) {
      signal.throwIfAborted();
      if (clock.monotonic() >= deadline) return this.#options.fetch(id, signal);
      await clock.sleep(pollMs);
      const entry = await store.get(key, this.#entrySchema);
      if (entry !== null && this.#isFresh(entry, notBefore)) return entry;
    }
    this.#claimed.add(id);
    // Another process may have finished its request between the first read and the claim.
    const entry = await store.get(key, this.#entrySchema);
    return entry !== null && this.#isFresh(entry, notBefore) ? entry : this.#options.fetch(id, signal);
  }

  /** Lookups can join a flight until its result is stored; otherwise one in between would send another request. */
  async #finish(
    id: string,
    storedEntry: Promise<CacheEntry<Value> | null>,
    result: Promise<CacheEntry<Value>>,
  ): Promise<void> {
    try {
      const [stored, current] = await Promise.all([storedEntry, result]);
      if (current !== stored) await this.#options.store.set(this.#options.keyOf(id), current);
    } catch {
      // The lookups that wait for the result handle the error.
    } finally {
      if (this.#flights.get(id)?.result === result) this.#flights.delete(id);
      if (this.#claimed.delete(id)) void this.#options.sharedRequests?.end(this.#options.keyOf(id));
    }
  }
}

/** A slower cache is treated as failed (ms). */
const timeoutMs = second / 2;

/**
 * The requests for one key and the caches of their responses.
 * @param options.keyPrefix of the entries in the cache, which several sources may share
 */
export function createSource<Request, Response>(
  options: RequesterOptions<Request, Response> & { readonly keyv: Keyv; readonly keyPrefix: string },
) {
  const { keyv, keyPrefix, budget, clock, errors, observe, timeoutMs } = options;
  const sendRequest = createRequester(options);
  const store = createResponseStore({ keyv, clock, errors });
  const sharedRequests = sharedRequestsIn(keyv);
  return {
    sendRequest,
    cacheOf: <Value>(endpoint: Endpoint<Value, Request, Response>) =>
      new ReadThrough<Value>({
        ...{ ...endpoint, store, sharedRequests, timeoutMs, clock, observe },
        keyOf: (id) => `${keyPrefix}:${endpoint.resource}:${id}`,
        fetch: (id, signal) => sendRequest(endpoint, id, signal),
      }),
    /** Sends no request and never rejects. */
    async keyStatus(): Promise<KeyStatus> {
      return {
        keyRefused: errors.has('lookup_key_refused'),
        wrongShape: errors.has('lookup_wrong_shape'),
        budgetLeft: await budget.remaining().catch(() => null),
      };
    },
  };
}

type ResponseStore = ReturnType<typeof createResponseStore>;

/**
 * The cache of responses, in Keyv, which only deletes expired entries: freshness is decided by the caller. Its failures
 * are reported, and otherwise treated as a cache miss. Its methods never reject.
 */
function createResponseStore(options: { keyv: Keyv; clock: Clock; errors: ErrorReporter }) {
  const { keyv, clock, errors } = options;
  // Keyv emits most errors as events, and throws them if there is no listener.
  keyv.on('error', errors.cacheFailed);

  return {
    /** The entry of the key; null if there is none, it is expired or no longer matches the schema. */
    async get<Value>(key: string, schema: z.ZodType<CacheEntry<Value>>): Promise<CacheEntry<Value> | null> {
      const value = await withTimeout(timeoutMs, clock, keyv.get<unknown>(key)).catch(errors.cacheFailed);
      const entry = schema.safeParse(value);
      return entry.success && !isExpired(entry.data, clock.now()) ? entry.data : null;
    },
    async set(key: string, entry: CacheEntry<unknown>): Promise<void> {
      await withTimeout(timeoutMs, clock, keyv.set(key, entry, maxAgeMs)).catch(errors.cacheFailed);
    },
  };
}

/** Claims of requests to the service, so that one of several processes sends a request. */
type SharedRequests = NonNullable<ReturnType<typeof sharedRequestsIn>>;

interface RedisClient {
  set(key: string, value: string, options: { readonly NX: true; readonly PX: number }): Promise<unknown>;
  del(key: string): Promise<unknown>;
}

const prefix = 'tallyhook-request:';

/** Claims beside the cache, if it is in Redis; null for a cache that no other process uses. */
function sharedRequestsIn(cache: Keyv) {
  const store: unknown = cache.store;
  if (!hasRedisClient(store)) return null;
  return {
    /** Checks whether the caller should send the request: nobody else does, or it is not known. Never rejects. */
    async claim(key: string, ttlMs: number): Promise<boolean> {
      try {
        const client = await store.getClient();
        return (await client.set(prefix + key, '1', { NX: true, PX: ttlMs })) !== null;
      } catch {
        return true;
      }
    },
    /** Ends a claim, after the response was stored or the request failed. Never rejects. */
    async end(key: string): Promise<void> {
      try {
        const client = await store.getClient();
        await client.del(prefix + key);
      } catch {
        // It expires.
      }
    },
  };
}

function hasRedisClient(store: unknown): store is { getClient(): Promise<RedisClient> } {
  return typeof store === 'object' && store !== null && 'getClient' in store && typeof store.getClient === 'function';
}
