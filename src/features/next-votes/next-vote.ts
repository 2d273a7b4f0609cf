import { type LastVotes, lastVoteIn } from '../../core/ledger/account.ts';

/** What a site has said of the next vote of a member, with a vote of `votedAt` (ms since the epoch). */
export interface StatedNextVote {
  readonly listing: string;
  readonly votedAt: number;
  readonly nextVoteAt: number;
}

/** A server or bot, by the names of its listings, and how long a vote for it blocks the next one (ms). */
interface VoteTarget {
  readonly names: readonly string[];
  readonly cooldownMs: number;
}

/**
 * The last vote for a target (ms since the epoch), and when the next one is due: when the site has said, otherwise
 * after the cooldown. Null without a vote.
 */
export function nextVoteFor(
  { names, cooldownMs }: VoteTarget,
  lastVotes: LastVotes,
  stated: readonly StatedNextVote[],
): { readonly at: number; readonly nextVoteAt: number } | null {
  const at = lastVoteIn(lastVotes, names);
  if (at === null) return null;
  const own = stated.find(({ listing, votedAt }) => votedAt === at && names.includes(listing));
  return { at, nextVoteAt: own?.nextVoteAt ?? at + cooldownMs };
}
