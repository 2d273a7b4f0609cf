import type { Clock } from '../clock.ts';
import { voteStatusAt } from './lifetimes.ts';
import type { Known } from './lookup.ts';
import type { Observe } from './observation.ts';
import type { VoteStatus } from './schemas.ts';

/** When the ledger saw a user's last vote for the listing (ms since the epoch); null when it saw none. */
export type LastVote = (userId: string) => Promise<number | null>;

interface LedgerFirst {
  /** What the service and the cache say. */
  readonly votes: (userId: string) => Promise<Known<VoteStatus>>;
  readonly lastVote: LastVote;
  readonly clock: Clock;
  /** How long a vote blocks the next one (ms). */
  readonly cooldown: number;
  readonly observe: Observe;
}

/**
 * The vote status by all that is known. A vote that was received and whose cooldown runs is a fact: nobody needs to be asked, and nothing
 * older beats it. After it, the service may know of votes that were never received.
 */
export function withLedger(options: LedgerFirst): (userId: string) => Promise<Known<VoteStatus>> {
  const { votes, lastVote, clock, cooldown, observe } = options;

  return async (userId) => {
    const votedAt = await lastVote(userId);
    if (votedAt === null) return asItStands(await votes(userId));
    const now = clock.now();
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
    return { ...rest, value: { ...value, lastVoteAt: Math.max(value.lastVoteAt ?? 0, votedAt) } };
  };

  function asItStands(known: Known<VoteStatus>): Known<VoteStatus> {
    return { ...known, value: voteStatusAt(known, clock.now(), cooldown) };
  }
}
