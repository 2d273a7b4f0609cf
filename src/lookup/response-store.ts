import type { Keyv } from 'keyv';
import type { z } from 'zod';
import type { Clock } from '../platform/clock.ts';
import { second } from '../platform/durations.ts';
import { withTimeout } from '../platform/with-timeout.ts';
import type { ErrorReporter } from './error-reporter.ts';
import { type CacheEntry, isExpired, maxAgeMs } from './freshness.ts';

/** A slower cache is treated as failed (ms). */
const timeoutMs = second / 2;

/** The cache of responses. Its failures are reported, and otherwise treated as a cache miss. */
export interface ResponseStore {
  /** The entry of the key; null if there is none, it is expired or no longer matches the schema. Never rejects. */
  get<Value>(key: string, schema: z.ZodType<CacheEntry<Value>>): Promise<CacheEntry<Value> | null>;
  /** Never rejects. */
  set(key: string, entry: CacheEntry<unknown>): Promise<void>;
}

/** A response store in Keyv. Keyv only deletes expired entries; freshness is decided by the caller. */
export function createResponseStore(options: { keyv: Keyv; clock: Clock; errors: ErrorReporter }): ResponseStore {
  const { keyv, clock, errors } = options;
  // Keyv emits most errors as events, and throws them if there is no listener.
  keyv.on('error', errors.cacheFailed);

  return {
    async get(key, schema) {
      const value = await withTimeout(timeoutMs, clock, keyv.get<unknown>(key)).catch(errors.cacheFailed);
      const entry = schema.safeParse(value);
      return entry.success && !isExpired(entry.data, clock.now()) ? entry.data : null;
    },
    async set(key, entry) {
      await withTimeout(timeoutMs, clock, keyv.set(key, entry, maxAgeMs)).catch(errors.cacheFailed);
    },
  };
}
