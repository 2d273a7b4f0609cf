import { BoundedMap } from '../platform/bounded-map.ts';
import type { Clock } from '../platform/clock.ts';
import { minute, second } from '../platform/durations.ts';
import type { CachedValue, ObserveLookup } from './lookup.ts';
import type { CachedVoteStatus } from './schemas.ts';
import { voteStatusAt } from './ttl.ts';

/**
 * The service's clock may be ahead by this much (ms), so the next vote may arrive this long before the cooldown ends
 * here.
 */
const maxClockAheadMs = 5 * minute;
/** How long a cooldown reported by the service is used without reading the ledger (ms). */
const serviceCooldownTtlMs = 30 * second;
/** Cooldowns in memory; a few hundred bytes each. */
const maxCooldownsInMemory = 1_000;

/** The time of a user's last vote for the listing in the ledger (ms since the epoch); null if there is none. */
export type LastVote = (userId: string) => Promise<number | null>;

interface WithLedgerOptions {
  /** The vote status from the cache or the service. */
  readonly votes: (userId: string) => Promise<CachedValue<CachedVoteStatus>>;
  readonly lastVote: LastVote;
  readonly clock: Clock;
  /** How long a vote blocks the next one (ms). */
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
export function withLedger(options: WithLedgerOptions): (userId: string) => Promise<CachedValue<CachedVoteStatus>> {
  const { votes, clock, cooldownMs, observe } = options;
  const lastVotes = new BoundedMap<number>(maxCooldownsInMemory);
  /** Running cooldowns reported by the service, each valid until a monotonic time (ms). */
  const serviceCooldowns = new BoundedMap<{ readonly status: CachedValue<CachedVoteStatus>; readonly until: number }>(
    maxCooldownsInMemory,
  );

  return async (userId) => {
    const recent = serviceCooldowns.get(userId);
    if (recent !== undefined && clock.monotonic() < recent.until && endsLater(recent.status.value)) {
      observe({ event: 'hit', resource: 'votes' });
      return recent.status;
    }
    const votedAt = await lastVote(userId);
    const now = clock.now();
    // A vote in the future was recorded while the clock was ahead: only the service knows when its cooldown ends.
    if (votedAt === null || votedAt > now + maxClockAheadMs)
      return remember(userId, withCurrentStatus(await votes(userId)));
    if (now < votedAt + cooldownMs) {
      observe({ event: 'fact', resource: 'votes' });
      return {
        value: { canVote: false, lastVoteAt: votedAt, nextVoteAt: votedAt + cooldownMs },
        asOf: now,
        stale: false,
      };
    }
    const fromLedger = { value: { canVote: true, lastVoteAt: votedAt, nextVoteAt: null }, asOf: votedAt, stale: true };
    const status = await votes(userId).catch(() => fromLedger);
    if (status.asOf <= votedAt) return fromLedger;
    const { value, ...age } = withCurrentStatus(status);
    return remember(userId, { ...age, value: { ...value, lastVoteAt: Math.max(value.lastVoteAt ?? 0, votedAt) } });
  };

  async function lastVote(userId: string): Promise<number | null> {
    const recent = lastVotes.get(userId);
    if (recent !== undefined && clock.now() < recent + cooldownMs - maxClockAheadMs) return recent;
    const votedAt = await options.lastVote(userId);
    if (votedAt !== null) lastVotes.set(userId, votedAt);
    return votedAt;
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

  /** Whether a cooldown runs that does not end within the possible clock difference. */
  function endsLater({ canVote, nextVoteAt }: CachedVoteStatus): boolean {
    return !canVote && nextVoteAt !== null && clock.now() < nextVoteAt - maxClockAheadMs;
  }
}
