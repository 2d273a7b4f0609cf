import { createHash } from 'node:crypto';
import { type Clock, watchClockSteps } from '@tallyhook/platform/clock';
import { formatExactly, minute, second } from '@tallyhook/platform/durations';
import { LookupError } from './lookup-error.ts';

/** The limit of the service: requests per key in any minute (document, section 8). */
export const maxRequestsPerMinute = 120;

/** How many requests a service accepts in any period of this length (ms). */
export interface RequestLimit {
  readonly requests: number;
  readonly periodMs: number;
}

const documentedLimit: RequestLimit = { requests: maxRequestsPerMinute, periodMs: minute };
/** Added to the window (ms) for bytes in transit when a request is aborted, and for differences of clocks. */
const windowMarginMs = second;
/**
 * An entry further ahead than this (ms) was written before the clock was set back. The clocks of several machines are
 * assumed to differ by less.
 */
export const maxClockSkewMs = 5 * second;
/** Retry delay (ms) when the log cannot be written. */
const logRetryMs = 5 * second;

/** `retryAt`: the earliest time at which a request can be granted (ms since the epoch). @category Lookup */
export type BudgetDecision = { readonly granted: true } | { readonly granted: false; readonly retryAt: number };

/**
 * The log of sent requests, shared by all clients that use the same key. A log in the database is shared by several
 * processes and survives restarts.
 *
 * `acquire` reads and writes in one atomic step. It grants the request if fewer than `limit` entries of the key are
 * later than `at - windowMs`, including entries later than `at`, and then adds the entry `at`. Otherwise it writes
 * nothing, and `retryAt` is the `limit`-th latest entry plus `windowMs`. Entries older than two windows may be deleted.
 * Entries later than `at` by more than 5 s were written before the clock was set back: they are
 * moved back by `setBackMs`, and are then no later than `at`.
 *
 * Both methods reject when the log cannot be used.
 *
 * @category Lookup
 * @param keyId the fingerprint of the key
 * @param at ms since the epoch
 * @param setBackMs by how much the caller's clock was set back since its previous call (ms), if known
 */
export interface BudgetStore {
  acquire(keyId: string, at: number, windowMs: number, limit: number, setBackMs?: number): Promise<BudgetDecision>;
  /** The number of entries of the key later than `since` (ms since the epoch). Writes nothing. */
  spent(keyId: string, since: number): Promise<number>;
}

/** The request budget of a key. */
export type Budget = ReturnType<typeof createBudget>;

/** Identifies a secret without revealing it: the first 64 bits of its SHA-256, in hex. */
export function fingerprint(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 16);
}

/**
 * Guarantees that never more requests arrive at the service than its limit: by default 120 in any minute (document,
 * section 8).
 *
 * Proof. A request sent at d arrives in [d, d + timeout], or never. All requests that arrive in a minute (t, t + 60 s]
 * were therefore sent in (t - timeout, t + 60 s], which is 60 s + timeout long. So it is sufficient that no window W of
 * that length contains more than 120 sent requests. Assume that one, (y - W, y], does, and let z be the entry in it
 * that was written last. When z was acquired, every other entry of that window existed and was later than y - W, hence
 * later than z - W: at least 120 were counted, and z was refused. ∎ The order of the entries is irrelevant, so the
 * proof holds for any number of processes that share a log.
 *
 * It also holds when clocks are set. The requests of this process are additionally counted in monotonic time. When the
 * clock is set back, entries in the future are moved back by the same amount, or to the current time if the amount is
 * unknown: none becomes earlier than the time it was sent. When the clock is set forward, entries look older than they
 * are, so for one window the window is longer by that amount.
 *
 * @param options.timeoutMs maximum duration of any request counted in the log (ms)
 */
export function createBudget(options: {
  log: BudgetStore;
  keyId: string;
  limit?: RequestLimit;
  timeoutMs: number;
  clock: Clock;
}) {
  const { log, keyId, limit = documentedLimit, clock } = options;
  const windowMs = limit.periodMs + options.timeoutMs + windowMarginMs;
  const clockStep = watchClockSteps(clock);
  /** The forward steps of the clock (ms) within the last window; each counts until a monotonic time. */
  let forwardSteps: readonly { readonly ms: number; readonly until: number }[] = [];
  /** Monotonic (ms). */
  let blockedUntil = Number.NEGATIVE_INFINITY;
  /** Requests granted or pending in this process (monotonic, ms): the log, which would refuse more, is not asked. */
  let localRequests: readonly number[] = [];

  return {
    /**
     * Takes one request, which must be sent now and completed or aborted within the timeout. Does not queue.
     * @throws LookupError `lookup_over_budget` when none is left, `lookup_uncounted` when the log cannot be written
     */
    async acquire(): Promise<void> {
      const now = clock.monotonic();
      if (now < blockedUntil) throw overBudgetError(wallClockTime(blockedUntil));
      localRequests = localRequests.filter((sentAt) => sentAt > now - windowMs);
      if (localRequests.length >= limit.requests) {
        throw overBudgetError(wallClockTime(Math.min(...localRequests) + windowMs));
      }
      localRequests = [...localRequests, now];
      const at = clock.now();
      const stepMs = recordClockStep(now);
      const decision = await log
        .acquire(keyId, at, windowAt(now), limit.requests, Math.max(0, -stepMs))
        .catch((cause: unknown) => {
          release(now);
          // A request that is not in the log would invalidate the proof.
          throw new LookupError(
            'lookup_uncounted',
            'No request was sent to the service, because it could not be counted: the database cannot be written.',
            { retryAt: at + logRetryMs, cause },
          );
        });
      if (!decision.granted) {
        release(now);
        // Entries only leave the window with time, so the log is not queried again before.
        blockedUntil = Math.max(blockedUntil, now + decision.retryAt - at);
        throw overBudgetError(decision.retryAt);
      }
    },
    /** Grants nothing until then (ms since the epoch), as required by the service. */
    blockUntil(until: number): void {
      blockedUntil = Math.max(blockedUntil, clock.monotonic() + until - clock.now());
    },
    /** How many requests can be sent now. Rejects when the log cannot be read. */
    async remaining(): Promise<number> {
      const now = clock.monotonic();
      if (now < blockedUntil) return 0;
      return Math.max(0, limit.requests - (await log.spent(keyId, clock.now() - windowAt(now))));
    },
  };

  function overBudgetError(retryAt: number): LookupError {
    const period = limit.periodMs === minute ? 'minute' : formatExactly(limit.periodMs);
    return new LookupError(
      'lookup_over_budget',
      `No request to the service is left before ${new Date(retryAt).toISOString()} (${limit.requests} per ${period} and key).`,
      { retryAt },
    );
  }

  /** The window (ms, wall clock) at a monotonic time. */
  function windowAt(now: number): number {
    return forwardSteps.filter(({ until }) => until > now).reduce((sum, { ms }) => sum + ms, windowMs);
  }

  /** The change of the clock since the previous call (ms). */
  function recordClockStep(now: number): number {
    const stepMs = clockStep();
    forwardSteps = forwardSteps.filter(({ until }) => until > now);
    if (stepMs > 0) forwardSteps = [...forwardSteps, { ms: stepMs, until: now + windowMs }];
    return stepMs;
  }

  /** Converts a monotonic time to ms since the epoch. */
  function wallClockTime(monotonic: number): number {
    return Math.ceil(clock.now() + monotonic - clock.monotonic());
  }

  function release(sentAt: number): void {
    const index = localRequests.indexOf(sentAt);
    localRequests = localRequests.filter((_, other) => other !== index);
  }
}

/** A log in memory: for a single process, and for tests. */
export function memoryBudgetStore(): BudgetStore {
  const requestsByKey = new Map<string, readonly number[]>();
  return {
    async acquire(keyId, at, windowMs, limit, setBackMs = 0) {
      const requests = (requestsByKey.get(keyId) ?? [])
        .filter((sentAt) => sentAt > at - 2 * windowMs)
        .map((sentAt) => (sentAt > at + maxClockSkewMs ? Math.min(at, sentAt - setBackMs) : sentAt));
      requestsByKey.set(keyId, requests);
      const latestFirst = requests.filter((sentAt) => sentAt > at - windowMs).sort((a, b) => b - a);
      const limiting = latestFirst[limit - 1];
      if (limiting !== undefined) return { granted: false, retryAt: limiting + windowMs };
      requestsByKey.set(keyId, [...requests, at]);
      return { granted: true };
    },
    async spent(keyId, since) {
      return (requestsByKey.get(keyId) ?? []).filter((sentAt) => sentAt > since).length;
    },
  };
}
