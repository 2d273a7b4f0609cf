import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { day, minute, second } from '@tallyhook/platform/durations';
import type { CachedValue, CachedVoteStatus, ObserveLookup, VoteStatus } from './lookup.ts';

/** How long an entry can be served when the service fails (ms). */
export const maxAgeMs = 7 * day;

/** An entry that is dated further ahead than this (ms) was written while the clock was wrong. */
const maxClockAheadMs = minute;

/** A value and when the service sent it (ms since the epoch). */
export interface CacheEntry<Value> {
  readonly value: Value;
  readonly asOf: number;
}

/** Until when an entry is served without a new request (ms since the epoch). */
export type FreshUntil<Value> = (entry: CacheEntry<Value>) => number;

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
export function isExpired(entry: CacheEntry<unknown>, now: number): boolean {
  return now >= entry.asOf + maxAgeMs || entry.asOf > now + maxClockAheadMs;
}

/** The service's clock may be ahead by this (ms), so the next vote may arrive so long before the cooldown ends here. */
const maxServiceAheadMs = 5 * minute;
/** How long a cooldown reported by the service is used without reading the ledger (ms). */
const serviceCooldownTtlMs = 30 * second;
/** Cooldowns in memory; a few hundred bytes each. */
const maxCooldownsInMemory = 1_000;

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
 *
 * No vote can arrive while a cooldown runs (document, section 3), so the ledger is not read again during that time: for
 * a cooldown from the ledger until shortly before its end, for one reported by the service only for 30 s, in case the
 * service accepts a vote anyway.
 */
export function withLedger(options: WithLedgerOptions): WithLedgerOptions['votes'] {
  const { votes, clock, cooldownMs, observe } = options;
  const lastVotes = new BoundedMap<LedgerVote>(maxCooldownsInMemory);
  /** Running cooldowns reported by the service, each valid until a monotonic time (ms). */
  const serviceCooldowns = new BoundedMap<{ readonly status: CachedValue<CachedVoteStatus>; readonly until: number }>(
    maxCooldownsInMemory,
  );

  return async (userId, signal) => {
    const recent = serviceCooldowns.get(userId);
    if (recent !== undefined && clock.monotonic() < recent.until && endsLater(recent.status.value)) {
      observe({ event: 'hit', resource: 'votes' });
      return recent.status;
    }
    const vote = await lastVote(userId);
    const now = clock.now();
    // A vote in the future was recorded while the clock was ahead: only the service knows when its cooldown ends.
    if (vote === null || vote.at > now + maxServiceAheadMs)
      return remember(userId, withCurrentStatus(await votes(userId, signal)));
    const { at: votedAt, nextVoteAt } = vote;
    if (now < nextVoteAt) {
      observe({ event: 'fact', resource: 'votes' });
      return { value: { canVote: false, lastVoteAt: votedAt, nextVoteAt }, asOf: now, stale: false };
    }
    const fromLedger = { value: { canVote: true, lastVoteAt: votedAt, nextVoteAt: null }, asOf: votedAt, stale: true };
    const status = await votes(userId, signal).catch(() => fromLedger);
    if (status.asOf <= votedAt) return fromLedger;
    const { value, ...age } = withCurrentStatus(status);
    return remember(userId, { ...age, value: { ...value, lastVoteAt: Math.max(value.lastVoteAt ?? 0, votedAt) } });
  };

  async function lastVote(userId: string): Promise<LedgerVote | null> {
    const recent = lastVotes.get(userId);
    if (recent !== undefined && clock.now() < recent.nextVoteAt - maxServiceAheadMs) return recent;
    const vote = await options.lastVote(userId);
    if (vote !== null) lastVotes.set(userId, vote);
    return vote;
  }

  function withCurrentStatus(status: CachedValue<CachedVoteStatus>): CachedValue<CachedVoteStatus> {
    return { ...status, value: voteStatusAt(status, clock.now(), cooldownMs) };
  }

  function remember(userId: string, status: CachedValue<CachedVoteStatus>): CachedValue<CachedVoteStatus> {
    if (!status.stale && endsLater(status.value)) {
      serviceCooldowns.set(userId, { status, until: clock.monotonic() + serviceCooldownTtlMs });
    }
    return status;
  }

  /** Checks whether a cooldown runs that does not end within the possible clock difference. */
  function endsLater({ canVote, nextVoteAt }: CachedVoteStatus): boolean {
    return !canVote && nextVoteAt !== null && clock.now() < nextVoteAt - maxServiceAheadMs;
  }
}
