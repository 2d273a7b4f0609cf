import { z } from 'zod';
import { type Clock, second } from '../clock.ts';
import type { AnswerStorage } from './answer-storage.ts';
import { type FreshUntil, isPastUse, type Kept } from './lifetimes.ts';
import type { Known } from './lookup.ts';
import { NewestEntries } from './newest-entries.ts';
import type { Observe, Resource } from './observation.ts';

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
  readonly ask: (id: string) => Promise<Kept<Value>>;
  /** The key of an answer in the storage. */
  readonly keyOf: (id: string) => string;
  readonly storage: AnswerStorage;
  readonly clock: Clock;
  readonly observe: Observe;
}

/** One look into the storage and, if need be, one request, shared by all who ask for the same while it lasts. */
interface Flight<Value> {
  /** Monotonic (ms). */
  readonly begunAt: number;
  readonly kept: Promise<Kept<Value> | null>;
  readonly answer: Promise<Kept<Value>>;
}

/**
 * Reads through the storage: what is fresh is served from it, what is not is asked for, once for all who wait for it. What is older is
 * served as stale when the service fails, or when it is slow; its answer then still gets into the storage.
 *
 * What was read last is at hand for as long as it is fresh, and the storage is not asked: nobody who shares it has reason to ask before.
 * Rejects with what `ask` rejects with, where nothing older is at hand.
 */
export function readThrough<Value>(options: ReadThrough<Value>): (id: string) => Promise<Known<Value>> {
  const { resource, storage, clock, observe } = options;
  const keptShape = z.object({ value: options.shape, asOf: z.number() });
  const flights = new Map<string, Flight<Value>>();
  const atHand = new NewestEntries<Kept<Value>>(entriesAtHand);

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

  function isFresh(kept: Kept<Value>): boolean {
    const now = clock.now();
    return now < options.freshUntil(kept) && !isPastUse(kept, now);
  }

  function begin(id: string): Flight<Value> {
    const kept = storage.get(options.keyOf(id), keptShape);
    const flight = { begunAt: clock.monotonic(), kept, answer: look(id, kept) };
    flights.set(id, flight);
    void land(id, flight);
    return flight;
  }

  async function look(id: string, shelved: Promise<Kept<Value> | null>): Promise<Kept<Value>> {
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
  async function answerInPatience(flight: Flight<Value>): Promise<Kept<Value> | null> {
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
