import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { withTimeout } from '@tallyhook/platform/with-timeout';
import type { Keyv } from 'keyv';
import type { z } from 'zod';
import type { ErrorReporter } from './error-reporter.ts';
import { type CacheEntry, isExpired, maxAgeMs } from './freshness.ts';

/** A slower cache is treated as failed (ms). */
const timeoutMs = second / 2;

export type ResponseStore = ReturnType<typeof createResponseStore>;

/**
 * The cache of responses, in Keyv, which only deletes expired entries: freshness is decided by the caller. Its failures
 * are reported, and otherwise treated as a cache miss. Its methods never reject.
 */
export function createResponseStore(options: { keyv: Keyv; clock: Clock; errors: ErrorReporter }) {
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
export type SharedRequests = NonNullable<ReturnType<typeof sharedRequestsIn>>;

/** What the client of Redis offers here. */
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
    /** Whether the caller should send the request: nobody else does, or it is not known. Never rejects. */
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
