import type { Vote } from '../../webhook/event.ts';
import { decideVote, type VoteContext } from './decide-vote.ts';
import { emptyHistory, type VoteHistory } from './history.ts';
import { partyEntry, partyPeriod } from './party.ts';
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

/** What the rewards of past votes depend on. */
export interface ReplayContext {
  /** The roles last seen of the member (Discord IDs). */
  readonly roles: ReadonlySet<string>;
  /** The listing with this name, or what counts in place of one that is not configured any more. */
  readonly listingOf: (name: string | null) => ReplayListing;
  /** Time of the vote that reached the goal of a period (ms since the epoch), by the ID of the period. */
  readonly partyGoals: ReadonlyMap<string, number>;
}

/** An entry that past votes would have earned. */
export interface EarnedEntry extends RewardEntry {
  readonly listing: string | null;
  /** Time of the vote that earned it; for a party, of the vote that reached its goal (ms since the epoch). */
  readonly at: number;
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
  const { roles, listingOf, partyGoals } = context;
  const entries: EarnedEntry[] = [];
  const parties = new Set<string>();
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
    const party = partyAt(rules, at, partyGoals);
    if (party === null || parties.has(party.period)) continue;
    parties.add(party.period);
    entries.push({ ...party.entry, listing: null, at: party.reachedAt });
  }
  return entries;
}

/** The party whose reward a vote earns. */
function partyAt({ rewards, calendar }: ReplayListing, at: number, partyGoals: ReplayContext['partyGoals']) {
  const { party } = rewards;
  if (party === null) return null;
  const { id: period } = partyPeriod(party.per, calendar.dayAt(at));
  const reachedAt = partyGoals.get(period);
  if (reachedAt === undefined || at > reachedAt) return null;
  return { period, reachedAt, entry: partyEntry(party, period) };
}

function toEvent(userId: string, { at, cause, awarded }: PastVote): Vote {
  const creditsAwarded = cause === 'denied' ? false : awarded;
  const target = { kind: null, id: null };
  return { family: 'vote', kind: 'server_vote', target, userId, at, creditsAwarded, denial: null };
}
