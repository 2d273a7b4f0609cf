import type { Clock } from '../platform/clock.ts';
import { minute, second } from '../platform/durations.ts';
import { BoundedMap } from './bounded-map.ts';
import type { ObserveLookup } from './events.ts';
import type { CachedValue } from './lookup.ts';
import type { CachedVoteStatus } from './schemas.ts';
import { voteStatusAt } from './ttl.ts';

/** Just before a cooldown ends the next vote may come in already, by a clock that is ahead of ours (ms). */
const clocksDisagree = 5 * minute;
/** How long the service's word on a running cooldown is taken without a look at what came in (ms). */
const trustLasts = 30 * second;
/** So many running cooldowns are at hand, at a few hundred bytes each. */
const cooldownsAtHand = 1_000;

/** When the ledger saw a user's last vote for the listing (ms since the epoch); null when it saw none. */
export type LastVote = (userId: string) => Promise<number | null>;

interface LedgerFirst {
  /** What the service and the cache say. */
  readonly votes: (userId: string) => Promise<CachedValue<CachedVoteStatus>>;
  readonly lastVote: LastVote;
  readonly clock: Clock;
  /** How long a vote blocks the next one (ms). */
  readonly cooldown: number;
  readonly observe: ObserveLookup;
}

/**
 * The vote status by all that is known. A vote that was received and whose cooldown runs is a fact: nobody needs to be asked, and nothing
 * older beats it. After it, the service may know of votes that were never received.
 *
 * While a cooldown runs no vote can come in (document, section 3), so the ledger need not be read again: of its own votes until shortly
 * before the end, for it counts no other sooner; of the service's only for a moment, should the service let somebody vote after all.
 */
export function withLedger(options: LedgerFirst): (userId: string) => Promise<CachedValue<CachedVoteStatus>> {
  const { votes, clock, cooldown, observe } = options;
  const lastVotes = new BoundedMap<number>(cooldownsAtHand);
  /** Running cooldowns by the service's word, each until a monotonic moment (ms). */
  const trusted = new BoundedMap<{ readonly known: CachedValue<CachedVoteStatus>; readonly until: number }>(
    cooldownsAtHand,
  );

  return async (userId) => {
    const atHand = trusted.get(userId);
    if (atHand !== undefined && clock.monotonic() < atHand.until && isFarFromItsEnd(atHand.known.value)) {
      observe({ event: 'hit', resource: 'votes' });
      return atHand.known;
    }
    const votedAt = await lastVote(userId);
    const now = clock.now();
    // A vote of the future was dated by a clock that was ahead: nobody but the service can tell when that cooldown ends.
    if (votedAt === null || votedAt > now + clocksDisagree) return trust(userId, asItStands(await votes(userId)));
    if (now < votedAt + cooldown) {
      observe({ event: 'fact', resource: 'votes' });
      return {
        value: { canVote: false, lastVoteAt: votedAt, nextVoteAt: votedAt + cooldown },
        asOf: now,
        stale: false,
      };
    }
    const ended = { value: { canVote: true, lastVoteAt: votedAt, nextVoteAt: null }, asOf: votedAt, stale: true };
    const known = await votes(userId).catch(() => ended);
    if (known.asOf <= votedAt) return ended;
    const { value, ...rest } = asItStands(known);
    return trust(userId, { ...rest, value: { ...value, lastVoteAt: Math.max(value.lastVoteAt ?? 0, votedAt) } });
  };

  async function lastVote(userId: string): Promise<number | null> {
    const atHand = lastVotes.get(userId);
    if (atHand !== undefined && clock.now() < atHand + cooldown - clocksDisagree) return atHand;
    const votedAt = await options.lastVote(userId);
    if (votedAt !== null) lastVotes.set(userId, votedAt);
    return votedAt;
  }

  function asItStands(known: CachedValue<CachedVoteStatus>): CachedValue<CachedVoteStatus> {
    return { ...known, value: voteStatusAt(known, clock.now(), cooldown) };
  }

  function trust(userId: string, known: CachedValue<CachedVoteStatus>): CachedValue<CachedVoteStatus> {
    if (!known.stale && isFarFromItsEnd(known.value)) {
      trusted.set(userId, { known, until: clock.monotonic() + trustLasts });
    }
    return known;
  }

  function isFarFromItsEnd({ canVote, nextVoteAt }: CachedVoteStatus): boolean {
    return !canVote && nextVoteAt !== null && clock.now() < nextVoteAt - clocksDisagree;
  }
}
