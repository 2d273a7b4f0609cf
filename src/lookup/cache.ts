import { z } from 'zod';
import type { Clock } from '../platform/clock.ts';
import { second } from '../platform/durations.ts';
import { BoundedMap } from './bounded-map.ts';
import type { ObserveLookup, Resource } from './events.ts';
import type { CachedValue } from './lookup.ts';
import type { ResponseStore } from './response-store.ts';
import { type CacheEntry, type FreshUntil, isExpired } from './ttl.ts';

/** How long (ms) a question waits for the service when something older is at hand. */
const patience = 1.5 * second;

/** So many fresh answers are at hand without a look into the storage: those who ask again, at a few hundred bytes each. */
const entriesAtHand = 1_000;

interface ReadThrough<Value> {
  readonly resource: Resource;
  /** What is kept must look like this, or it is as good as nothing. */
  readonly shape: z.ZodType<Value>;
  readonly freshUntil: FreshUntil<Value>;
  /** Asks the service. Rejects with a LookupFailure. */
  readonly ask: (id: string) => Promise<CacheEntry<Value>>;
  /** The key of an answer in the storage. */
  readonly keyOf: (id: string) => string;
  readonly storage: ResponseStore;
  readonly clock: Clock;
  readonly observe: ObserveLookup;
}

/** One look into the storage and, if need be, one request, shared by all who ask for the same while it lasts. */
interface Flight<Value> {
  /** Monotonic (ms). */
  readonly begunAt: number;
  readonly kept: Promise<CacheEntry<Value> | null>;
  readonly answer: Promise<CacheEntry<Value>>;
}

/**
 * Reads through the storage: what is fresh is served from it, what is not is asked for, once for all who wait for it. What is older is
 * served as stale when the service fails, or when it is slow; its answer then still gets into the storage.
 *
 * What was read last is at hand for as long as it is fresh, and the storage is not asked: nobody who shares it has reason to ask before.
 * Rejects with what `ask` rejects with, where nothing older is at hand.
 */
export function readThrough<Value>(options: ReadThrough<Value>): (id: string) => Promise<CachedValue<Value>> {
  const { resource, storage, clock, observe } = options;
  const keptShape = z.object({ value: options.shape, asOf: z.number() });
  const flights = new Map<string, Flight<Value>>();
  const atHand = new BoundedMap<CacheEntry<Value>>(entriesAtHand);

  return async (id) => {
    const recent = atHand.get(id);
    if (recent !== undefined && isFresh(recent)) {
      observe({ event: 'hit', resource });
      return { ...recent, stale: false };
    }
    const underway = flights.get(id);
    if (underway) observe({ event: 'joined', resource });
    const flight = underway ?? begin(id);
    const kept = await flight.kept;
    if (kept === null) return { ...(await flight.answer), stale: false };
    if (isFresh(kept)) return { ...kept, stale: false };
    const answer = await answerInPatience(flight);
    if (answer !== null) return { ...answer, stale: false };
    observe({ event: 'stale', resource });
    return { ...kept, stale: true };
  };

  function isFresh(kept: CacheEntry<Value>): boolean {
    const now = clock.now();
    return now < options.freshUntil(kept) && !isExpired(kept, now);
  }

  function begin(id: string): Flight<Value> {
    const kept = storage.get(options.keyOf(id), keptShape);
    const flight = { begunAt: clock.monotonic(), kept, answer: look(id, kept) };
    flights.set(id, flight);
    void land(id, flight);
    return flight;
  }

  async function look(id: string, shelved: Promise<CacheEntry<Value> | null>): Promise<CacheEntry<Value>> {
    const kept = await shelved;
    const isHit = kept !== null && isFresh(kept);
    observe({ event: isHit ? 'hit' : 'miss', resource });
    const answer = isHit ? kept : await options.ask(id);
    atHand.set(id, answer);
    return answer;
  }

  /** A flight is joined until its answer is in the storage, so that nobody falls between the two and asks again. */
  async function land(id: string, flight: Flight<Value>): Promise<void> {
    try {
      const [kept, answer] = await Promise.all([flight.kept, flight.answer]);
      if (answer !== kept) await storage.set(options.keyOf(id), answer);
    } catch {
      // Those who wait for the answer are told.
    } finally {
      flights.delete(id);
    }
  }

  /** The answer, or null when it fails or is not there in time. */
  async function answerInPatience(flight: Flight<Value>): Promise<CacheEntry<Value> | null> {
    const given = new AbortController();
    const wait = Math.max(0, flight.begunAt + patience - clock.monotonic());
    try {
      return await Promise.race([flight.answer, clock.sleep(wait, given.signal).then(() => null)]);
    } catch {
      return null;
    } finally {
      given.abort();
    }
  }
}
