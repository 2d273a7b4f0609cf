import type { Vote } from '../../webhook/event.ts';
import { decideVote, type VoteContext } from './decide-vote.ts';
import { emptyHistory, type VoteHistory } from './history.ts';
import type { RewardEntry } from './reward.ts';

/** A counted vote in the ledger. */
export interface PastVote {
  readonly listing: string | null;
  /** Time of the vote (ms since the epoch). */
  readonly at: number;
  readonly cause: 'vote' | 'denied' | 'claim';
  /** The number of credits in its delivery; null if there was none. */
  readonly awarded: number | null;
}

/** What the rewards of a listing depend on. */
export type ReplayListing = Pick<
  VoteContext,
  'rewards' | 'communityListings' | 'sameTarget' | 'calendar' | 'outageDays'
>;

/** What all voters of a community reach together in a calendar period. */
export interface CommonGoal {
  readonly id: string;
  /** Of its period (day number). */
  readonly firstDay: number;
  /** The counted votes of the period that reach it. */
  readonly votes: number;
  /** What each voter is paid who voted before it was reached. */
  readonly entry: RewardEntry;
}

/** What the rewards of past votes depend on. */
export interface ReplayContext {
  /** The roles last seen of the member (Discord IDs). */
  readonly roles: ReadonlySet<string>;
  /** The listing with this name, or what counts in place of one that is not configured any more. */
  readonly listingOf: (name: string | null) => ReplayListing;
  /** The goal of the period of a vote (ms since the epoch); null without one. */
  readonly goalAt?: ((listing: ReplayListing, at: number) => CommonGoal | null) | undefined;
  /** Times of the votes that reached goals (ms since the epoch), by their ids. */
  readonly goals: ReadonlyMap<string, number>;
}

/** An entry that past votes would have earned. */
export interface EarnedEntry extends RewardEntry {
  readonly listing: string | null;
  /** Time of the vote that earned it, or that reached the goal (ms since the epoch). */
  readonly at: number;
  /** The id of the common goal. */
  readonly goal?: string;
}

/**
 * What a member would have earned if the rules had been in force from the first vote on.
 *
 * @param votes the counted votes of the member, in any order
 * @param earlier the history with the votes before these, all of which are paid
 */
export function replayVotes(
  userId: string,
  votes: readonly PastVote[],
  context: ReplayContext,
  earlier: VoteHistory = emptyHistory,
): readonly EarnedEntry[] {
  const { roles, listingOf, goalAt, goals } = context;
  const entries: EarnedEntry[] = [];
  const joined = new Set<string>();
  let history = earlier;
  for (const vote of votes.toSorted((one, other) => one.at - other.at)) {
    const { listing, at, cause } = vote;
    const rules = listingOf(listing);
    const voteContext = { ...rules, listing: listing ?? '', at, withinCooldown: false, roles };
    const decision = decideVote(history, toEvent(userId, vote), voteContext);
    history = decision.history;
    for (const entry of decision.entries) {
      entries.push({ ...entry, cause: entry.cause === 'vote' ? cause : entry.cause, listing, at });
    }
    const { id = '', entry: reward } = goalAt?.(rules, at) ?? {};
    const reachedAt = goals.get(id);
    if (reward === undefined || reachedAt === undefined || at > reachedAt || joined.has(id)) continue;
    joined.add(id);
    entries.push({ ...reward, goal: id, listing: null, at: reachedAt });
  }
  return entries;
}

function toEvent(userId: string, { at, cause, awarded }: PastVote): Vote {
  const creditsAwarded = cause === 'denied' ? false : awarded;
  const target = { kind: null, id: null };
  return { family: 'vote', kind: 'server_vote', target, userId, at, creditsAwarded, denial: null };
}
