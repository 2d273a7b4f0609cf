import type { Vote } from '../../webhook/event.ts';
import { decideVote, type VoteContext } from './decide-vote.ts';
import type { VoteHistory } from './history.ts';

/** A counted vote in the ledger. */
export interface PastVote {
  readonly listing: string | null;
  /** Time of the vote (ms since the epoch). */
  readonly at: number;
  /** True if the service denied it. */
  readonly isDenied: boolean;
  /** The number of credits in its delivery; null if there was none. */
  readonly awarded: number | null;
}

/** A listing, as far as the rewards of its votes depend on it. */
export type ReplayListing = Pick<
  VoteContext,
  'rewards' | 'communityListings' | 'sameTarget' | 'calendar' | 'outageDays'
>;

/** A goal that the voters of a community reach together in a calendar period. */
export interface CommonGoal {
  readonly id: string;
  /** The first day of its period (day number). */
  readonly firstDay: number;
  /** The counted votes of the period that reach it. */
  readonly votes: number;
  /** Paid to each voter who voted before it was reached (credits). */
  readonly credits: number;
}

/** Everything that the rewards of past votes depend on, apart from the votes. */
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
export interface EarnedEntry {
  readonly credits: number;
  /** Time of the vote that earned it, or that reached the goal (ms since the epoch). */
  readonly at: number;
}

/**
 * The credits that a member would have earned by these votes if the rules had been in force.
 *
 * @param votes counted votes of the member, in any order
 * @param earlier the history with the votes before these, all of which are paid
 */
export function replayVotes(
  userId: string,
  votes: readonly PastVote[],
  context: ReplayContext,
  earlier: VoteHistory,
): readonly EarnedEntry[] {
  const { roles, listingOf, goalAt, goals } = context;
  const entries: EarnedEntry[] = [];
  const joined = new Set<string>();
  let history = earlier;
  for (const vote of votes.toSorted((one, other) => one.at - other.at)) {
    const { listing, at } = vote;
    const rules = listingOf(listing);
    const voteContext = { ...rules, listing: listing ?? '', at, withinCooldown: false, roles };
    const decision = decideVote(history, toEvent(userId, vote), voteContext);
    history = decision.history;
    for (const { credits } of decision.entries) entries.push({ credits, at });
    const goal = goalAt?.(rules, at);
    const reachedAt = goals.get(goal?.id ?? '');
    if (!goal || reachedAt === undefined || at > reachedAt || joined.has(goal.id)) continue;
    joined.add(goal.id);
    entries.push({ credits: goal.credits, at: reachedAt });
  }
  return entries;
}

function toEvent(userId: string, { at, isDenied, awarded }: PastVote): Vote {
  const creditsAwarded = isDenied ? false : awarded;
  const target = { kind: null, id: null };
  return { family: 'vote', kind: 'server_vote', target, userId, at, creditsAwarded, denial: null };
}
