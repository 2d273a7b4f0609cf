import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { day, minute, second } from '@tallyhook/platform/durations';
import { settleWithin, Waiters, withTimeout } from '@tallyhook/platform/with-timeout';
import type { Keyv } from 'keyv';
import { z } from 'zod';
import type { LookupRequest, LookupResponse } from './http.ts';
import type { CachedValue, CachedVoteStatus, ObserveLookup, Resource, VoteStatus } from './lookup.ts';

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

/** An endpoint of the service (document, section 4), or of another one. The id distinguishes its possible requests. */
export interface Endpoint<Value, Request = LookupRequest, Response = LookupResponse> {
  readonly resource: Resource;
  request(id: string): Request;
  /** Parses the response, received at `now` (ms since the epoch). */
  parse(response: Response, now: number, id: string): z.ZodSafeParseResult<Value>;
  /** The schema of a stored value; one that does not match is ignored. */
  readonly schema: z.ZodType<Value>;
  readonly freshUntil: FreshUntil<Value>;
}

interface ReadThroughOptions<Value> extends Pick<Endpoint<Value>, 'resource' | 'schema' | 'freshUntil'> {
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
  /** The caller does not wait any longer when it is aborted. */
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

type ResponseStore = ReturnType<typeof createResponseStore>;

/**
 * The cache of responses, in Keyv, which only deletes expired entries: freshness is decided by the caller. Its failures
 * are reported, and otherwise treated as a cache miss. Its methods never reject.
 */
export function createResponseStore(options: {
  keyv: Keyv;
  clock: Clock;
  errors: { readonly cacheFailed: (error: unknown) => void };
}) {
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
export function sharedRequestsIn(cache: Keyv) {
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

/** How long an entry can be served when the service fails (ms). */
const maxAgeMs = 7 * day;

/** An entry that is dated further ahead than this (ms) was written while the clock was wrong. */
const maxClockAheadMs = minute;

/** A value and when the service sent it (ms since the epoch). */
export interface CacheEntry<Value> {
  readonly value: Value;
  readonly asOf: number;
}

/** Until when an entry is served without a new request (ms since the epoch). */
type FreshUntil<Value> = (entry: CacheEntry<Value>) => number;

/** For profiles and reviews, which do not have to be exact. */
export const fiveMinutes: FreshUntil<unknown> = ({ asOf }) => asOf + 5 * minute;

/**
 * A running cooldown does not change until it ends. "May vote" is valid until the user votes, and "may not" without a
 * date is incomplete: both are cached for 30 s, which covers a repeated command.
 */
export const voteStatusFreshUntil: FreshUntil<CachedVoteStatus> = ({ value, asOf }) => {
  if (value.canVote || value.nextVoteAt === null) return asOf + 30 * second;
  // No documented cooldown is longer than a day, so a later date is requested again.
  return Math.min(value.nextVoteAt, asOf + day);
};

/**
 * The cached vote status, updated to `now` (ms since the epoch): when the cooldown has ended since, the user may vote.
 * If the service did not send its end, it is assumed to be `cooldownMs` after the status was requested.
 */
export function voteStatusAt(entry: CacheEntry<CachedVoteStatus>, now: number, cooldownMs: number): CachedVoteStatus {
  const { value, asOf } = entry;
  const cooldownEnd = value.nextVoteAt ?? asOf + cooldownMs;
  return value.canVote || now < cooldownEnd ? value : { ...value, canVote: true, nextVoteAt: null };
}

/** Adds the seconds until the next vote at `now` (ms since the epoch). */
export function withSecondsLeft(status: CachedVoteStatus, now: number): VoteStatus {
  return { ...status, secondsUntilVote: secondsLeft(status, now) };
}

function secondsLeft({ canVote, nextVoteAt }: CachedVoteStatus, now: number): number | null {
  if (canVote) return 0;
  // At least 1, because 0 means that the user may vote.
  return nextVoteAt === null ? null : Math.max(1, Math.ceil((nextVoteAt - now) / second));
}

/** Checks whether the entry is too old, or dated in the future because the clock was wrong. */
function isExpired(entry: CacheEntry<unknown>, now: number): boolean {
  return now >= entry.asOf + maxAgeMs || entry.asOf > now + maxClockAheadMs;
}

/** The service's clock may be ahead by this (ms). */
const maxServiceAheadMs = 5 * minute;

/**
 * The time of a user's last vote for the listing in the ledger (ms since the epoch); null if there is none.
 * @category Lookup
 */
export type LastVote = (userId: string) => Promise<number | null>;

/** A vote in the ledger, and when the next one is due (ms since the epoch). */
export interface LedgerVote {
  readonly at: number;
  readonly nextVoteAt: number;
}

interface WithLedgerOptions {
  readonly votes: (userId: string, signal?: AbortSignal) => Promise<CachedValue<CachedVoteStatus>>;
  /** The last one for the listing; null if there is none. */
  readonly lastVote: (userId: string) => Promise<LedgerVote | null>;
  readonly clock: Clock;
  /** How long a vote blocks the next one if the service does not say (ms). */
  readonly cooldownMs: number;
  readonly observe: ObserveLookup;
}

/**
 * Combines the vote status of the service with the ledger. While the cooldown of a received vote runs, the ledger alone
 * answers, without a request. Afterwards the service is consulted, because it may know votes that were never received.
 */
export function withLedger(options: WithLedgerOptions): WithLedgerOptions['votes'] {
  const { votes, lastVote, clock, cooldownMs, observe } = options;

  return async (userId, signal) => {
    const vote = await lastVote(userId);
    const now = clock.now();
    // A vote in the future was recorded while the clock was ahead: only the service knows when its cooldown ends.
    if (vote === null || vote.at > now + maxServiceAheadMs) return withCurrentStatus(await votes(userId, signal));
    const { at: votedAt, nextVoteAt } = vote;
    if (now < nextVoteAt) {
      observe({ event: 'fact', resource: 'votes' });
      return { value: { canVote: false, lastVoteAt: votedAt, nextVoteAt }, asOf: now, stale: false };
    }
    const fromLedger = { value: { canVote: true, lastVoteAt: votedAt, nextVoteAt: null }, asOf: votedAt, stale: true };
    const status = await votes(userId, signal).catch(() => fromLedger);
    if (status.asOf <= votedAt) return fromLedger;
    const { value, ...age } = withCurrentStatus(status);
    return { ...age, value: { ...value, lastVoteAt: Math.max(value.lastVoteAt ?? 0, votedAt) } };
  };

  function withCurrentStatus(status: CachedValue<CachedVoteStatus>): CachedValue<CachedVoteStatus> {
    return { ...status, value: voteStatusAt(status, clock.now(), cooldownMs) };
  }
}
