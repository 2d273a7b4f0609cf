import type { Keyv } from 'keyv';
import type { z } from 'zod';
import type { Clock } from '../platform/clock.ts';
import { second } from '../platform/durations.ts';
import { withTimeout } from '../platform/with-timeout.ts';
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
