import { type Clock, watchClockSteps } from '../platform/clock.ts';
import { minute, second } from '../platform/durations.ts';
import { LookupBudgetUnavailable, LookupOverBudget } from './failures.ts';

/** What the service allows: requests per key in any minute (document, section 8). */
export const maxRequestsPerMinute = 120;
/** For what the proof leaves out: bytes still on their way when a request is given up, and clocks of several machines that differ. */
const slack = second;
/** An entry of the log that lies further ahead (ms) was written before a clock was set back: those of several machines differ by less. */
export const maxSkew = 5 * second;
/** How long to wait with the next try when the log itself cannot be written. */
const logRetry = 5 * second;

/** `retryAt`: the first moment that could be granted (ms since the epoch). */
export type BudgetDecision = { readonly granted: true } | { readonly granted: false; readonly retryAt: number };

/**
 * The record of departed requests, shared by all who ask with one key: over restarts and processes when it is kept in the store.
 *
 * `spend` looks and writes in one atomic step. It grants when fewer than `limit` of the key's entries are later than `at - window`,
 * entries later than `at` included, and then writes the entry `at`. Otherwise it writes nothing, and `retryAt` is the first moment
 * that could be granted: the `limit`-th latest entry plus `window`. Entries older than two windows may be forgotten. Entries later than
 * `at` by more than {@link maxSkew} were written before the clock was set back: they become earlier by `setBack`, and no later than `at`.
 *
 * Both methods reject when the log cannot be used.
 *
 * @param keyId stands for the key, and is not the key
 * @param at ms since the epoch
 * @param window ms
 * @param setBack by how much the clock of the caller was set back since it asked before, where it knows (ms)
 */
export interface BudgetStore {
  acquire(keyId: string, at: number, window: number, limit: number, setBack?: number): Promise<BudgetDecision>;
  /** How many of the key's entries are later than `since` (ms since the epoch). Writes nothing. */
  spent(keyId: string, since: number): Promise<number>;
}

/** The requests that a key has left (document, section 8). */
export interface Budget {
  /**
   * Takes one request that leaves now and has arrived or been given up after `timeout`.
   * @throws LookupOverBudget at once when there is none left; nothing waits in a queue.
   * @throws LookupUncounted when the log cannot be written
   */
  acquire(): Promise<void>;
  /** The service itself says that it is enough: nothing more until then (ms since the epoch). */
  blockUntil(until: number): void;
  /** How many requests could leave now. Rejects when the log cannot be read. */
  remaining(): Promise<number>;
}

/**
 * Never more than 120 requests arrive at the service in any minute.
 *
 * Proof. A request that departs at d arrives in [d, d + timeout], or never. All that arrive in a minute (t, t + 60 s] have therefore
 * departed in (t - timeout, t + 60 s], which is 60 s + timeout long. So it is enough that no window W of that length holds more than
 * 120 departures. Suppose that one, (y - W, y], did, and let z be the entry of it that was written last. When z asked, every other
 * entry of that window was there and later than y - W, hence later than z - W: at least 120 counted, and z was refused. ∎
 * The order of the entries plays no part, so the proof holds for any number of processes that write to one log.
 *
 * Clocks that are set do not break it. What this process itself sent is counted in monotonic time too. After a step back the entries that
 * lie ahead are moved along with the clock, or to now where nobody knows by how much: none becomes earlier than its departure. After a step
 * forward entries look older than they are by as much, so for the length of a window the window is longer by the step.
 *
 * @param options.timeout the longest that any request counted in the log may be under way (ms)
 */
export function createBudget(options: { log: BudgetStore; keyId: string; timeout: number; clock: Clock }): Budget {
  const { log, keyId, clock } = options;
  const window = minute + options.timeout + slack;
  const clockStep = watchClockSteps(clock);
  /** The steps forward within the last window (ms), each until a monotonic moment. */
  let steps: readonly { readonly by: number; readonly until: number }[] = [];
  /** Monotonic (ms). */
  let closedUntil = Number.NEGATIVE_INFINITY;
  /** What this process was granted or has just asked for (monotonic, ms): the log would refuse what is beyond it, so it is not even asked. */
  let own: readonly number[] = [];

  return {
    async acquire() {
      const now = clock.monotonic();
      if (now < closedUntil) throw overBudget(onTheWall(closedUntil));
      own = own.filter((departure) => departure > now - window);
      if (own.length >= maxRequestsPerMinute) throw overBudget(onTheWall(Math.min(...own) + window));
      own = [...own, now];
      const at = clock.now();
      const step = noteStep(now);
      const spending = await log
        .acquire(keyId, at, windowAt(now), maxRequestsPerMinute, Math.max(0, -step))
        .catch((cause: unknown) => {
          giveBack(now);
          // What cannot be counted cannot be proved, so it must not leave.
          throw new LookupBudgetUnavailable(at + logRetry, cause);
        });
      if (!spending.granted) {
        giveBack(now);
        // Entries leave the window only by ageing: before that moment there is no need to look again.
        closedUntil = Math.max(closedUntil, now + spending.retryAt - at);
        throw overBudget(spending.retryAt);
      }
    },
    blockUntil(until) {
      closedUntil = Math.max(closedUntil, clock.monotonic() + until - clock.now());
    },
    async remaining() {
      const now = clock.monotonic();
      if (now < closedUntil) return 0;
      return Math.max(0, maxRequestsPerMinute - (await log.spent(keyId, clock.now() - windowAt(now))));
    },
  };

  /** The window by the wall clock (ms), at a monotonic moment. */
  function windowAt(now: number): number {
    return steps.filter(({ until }) => until > now).reduce((sum, { by }) => sum + by, window);
  }

  /** By how much the clock was set since the log was asked before (ms). */
  function noteStep(now: number): number {
    const step = clockStep();
    steps = steps.filter(({ until }) => until > now);
    if (step > 0) steps = [...steps, { by: step, until: now + window }];
    return step;
  }

  /** A monotonic moment as ms since the epoch. */
  function onTheWall(moment: number): number {
    return Math.ceil(clock.now() + moment - clock.monotonic());
  }

  function giveBack(departure: number): void {
    const place = own.indexOf(departure);
    own = own.filter((_, other) => other !== place);
  }
}

function overBudget(retryAt: number): LookupOverBudget {
  return new LookupOverBudget(
    `No request to the service is left before ${new Date(retryAt).toISOString()} (${maxRequestsPerMinute} per minute and key).`,
    retryAt,
  );
}

/** A log that lives as long as the process and sees only it: for one process alone, and for tests. */
export function memoryBudgetStore(): BudgetStore {
  const departures = new Map<string, readonly number[]>();
  return {
    async acquire(keyId, at, window, limit, setBack = 0) {
      const known = (departures.get(keyId) ?? [])
        .filter((departure) => departure > at - 2 * window)
        .map((departure) => (departure > at + maxSkew ? Math.min(at, departure - setBack) : departure));
      departures.set(keyId, known);
      const counted = known.filter((departure) => departure > at - window).sort((a, b) => b - a);
      const decisive = counted[limit - 1];
      if (decisive !== undefined) return { granted: false, retryAt: decisive + window };
      departures.set(keyId, [...known, at]);
      return { granted: true };
    },
    async spent(keyId, since) {
      return (departures.get(keyId) ?? []).filter((departure) => departure > since).length;
    },
  };
}
