import { setImmediate as aMomentLater } from 'node:timers/promises';
import type { Keyv } from 'keyv';
import type { z } from 'zod';
import type { Clock } from '../platform/clock.ts';
import { second } from '../platform/durations.ts';
import { messageOf } from '../platform/errors.ts';
import type { LogThrottled } from './complaints.ts';
import { type CacheEntry, isExpired, keptFor } from './ttl.ts';

/** A cache that takes longer than this is no help (ms). */
const patience = second / 2;

/** Where answers are kept. A cache that fails is a cache that knows nothing: it never sinks an answer. */
export interface ResponseStore {
  /** What is kept under the key, if it still has the shape that is expected now; else null. Never throws. */
  get<Value>(key: string, shape: z.ZodType<CacheEntry<Value>>): Promise<CacheEntry<Value> | null>;
  /** Never throws. */
  set(key: string, kept: CacheEntry<unknown>): Promise<void>;
}

/** In Keyv. Freshness is not Keyv's business: it only drops what nobody may use any more. */
export function createResponseStore(options: { keyv: Keyv; clock: Clock; complain: LogThrottled }): ResponseStore {
  const { keyv, clock } = options;
  const broken = (thrown: unknown) =>
    options.complain('warn', 'cache_failed', `The cache of the lookup client does not work: ${messageOf(thrown)}`, {
      cure: 'Answers still come, but cost more requests. Check the address of the cache, the disk and its permissions.',
    });
  // Keyv reports most faults as events, and throws when nobody listens.
  keyv.on('error', broken);

  return {
    async get(key, shape) {
      const found = await withinPatience(keyv.get<unknown>(key)).catch(broken);
      const kept = shape.safeParse(found);
      return kept.success && !isExpired(kept.data, clock.now()) ? kept.data : null;
    },
    async set(key, kept) {
      await withinPatience(keyv.set(key, kept, keptFor)).catch(broken);
    },
  };

  async function withinPatience<Result>(work: Promise<Result>): Promise<Result> {
    // Memory and SQLite answer before anything else happens. Only for the others is a timer worth its price on every read.
    const early = await Promise.race([work.then((result) => ({ result })), aMomentLater(null)]);
    if (early !== null) return early.result;
    const done = new AbortController();
    try {
      return await Promise.race([
        work,
        clock.sleep(patience, done.signal).then(() => {
          throw new Error(`no answer within ${patience} ms`);
        }),
      ]);
    } finally {
      done.abort();
    }
  }
}
