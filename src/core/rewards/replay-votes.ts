import type { Vote } from '../../webhook/event.ts';
import { type Entry, isCountedVote, rewardCauses } from '../ledger/entry.ts';
import { addToScores, noScores, type PeriodScores } from './calendar.ts';
import { bonusDaysIn, decideVote, type VoteContext } from './decide-vote.ts';
import { addVote, emptyHistory, type VoteHistory, withBonus, withStreakRules } from './history.ts';
import type { Draw } from './luck.ts';
import type { ListingRewards, Period, StreakRules } from './rules.ts';
import { completeSteps } from './streak.ts';

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

/** A member in a calendar period, by past votes that are paid again. */
export interface PeriodMember {
  readonly userId: string;
  /** The roles last seen (Discord IDs). */
  readonly roles: ReadonlySet<string>;
  /** Counted votes of the period. */
  readonly votes: number;
  /** Earned in the period by votes and premium. */
  readonly credits: number;
  /** Days of the streak with which the period ends. */
  readonly streak: () => number;
}

/** Payments of a community at the end of calendar periods. */
export interface PeriodEnd {
  /** The lengths of these periods by the rules of a listing. */
  readonly periods: (rewards: ListingRewards) => readonly Period[];
  /** Credits that are paid after such a period. @param members those with votes in it */
  readonly pay: (rewards: ListingRewards, per: Period, members: readonly PeriodMember[]) => number;
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
  /** The draw that decides about the luck of a vote; missing without luck. */
  readonly drawOf?: ((userId: string, vote: PastVote) => Draw) | undefined;
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
 * @param votes counted votes of the member, in any order; for milestones of weeks and months all those of each period
 * @param earlier the history with the votes before these, all of which are paid
 */
export function replayVotes(
  userId: string,
  votes: readonly PastVote[],
  context: ReplayContext,
  earlier: VoteHistory,
): readonly EarnedEntry[] {
  const { roles, listingOf, goalAt, goals, drawOf } = context;
  const entries: EarnedEntry[] = [];
  const joined = new Set<string>();
  let history = earlier;
  let scores = noScores;
  for (const vote of votes.toSorted((one, other) => one.at - other.at)) {
    const { listing, at } = vote;
    const rules = listingOf(listing);
    const voteContext = {
      ...rules,
      listing: listing ?? '',
      at,
      withinCooldown: false,
      roles,
      draw: drawOf?.(userId, vote),
    };
    scores = addToScores(scores, rules.calendar.dayAt(at), 1, 0);
    const counted = scores;
    const votesIn = (per: Period) => counted[per].votes;
    const decision = decideVote(history, toEvent(userId, vote), { ...voteContext, votesIn });
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

/** An entry of an account, as far as its history depends on it. */
export type HistoricEntry = Pick<Entry, 'listing' | 'cause' | 'credits' | 'at' | 'achievement'>;

/**
 * The history and the scores of an account from its entries alone. The numbers of paid steps of
 * streaks stay, so that no later step has the number of an earlier one.
 */
export function historyOfEntries(
  entries: readonly HistoricEntry[],
  rules: Pick<ReplayListing, 'calendar' | 'outageDays'> & { readonly rewards: Pick<ListingRewards, 'streak'> },
): { readonly history: VoteHistory; readonly scores: PeriodScores } {
  const { rewards, calendar, outageDays } = rules;
  const dayOf = ({ at }: HistoricEntry) => calendar.dayAt(at);
  const counted = entries.filter(({ cause }) => isCountedVote(cause));
  const votes = counted.map((entry) => ({ listing: entry.listing ?? '', day: dayOf(entry) }));
  const achievements = entries.flatMap(({ achievement }) => achievement ?? []);
  const streaks = Math.max(0, ...achievements.map((achievement) => numberAfter('streak ', achievement)));
  return {
    history: rebuildHistory(votes, rewards.streak, outageDays, { streaks, bonusDays: bonusDaysIn(achievements) }),
    scores: entries
      .filter(({ cause }) => rewardCauses.includes(cause))
      .toSorted((one, other) => one.at - other.at)
      .reduce(
        (scores, entry) => addToScores(scores, dayOf(entry), isCountedVote(entry.cause) ? 1 : 0, entry.credits),
        noScores,
      ),
  };
}

/** The number after a prefix; 0 for any other text. */
function numberAfter(prefix: string, text: string): number {
  return text.startsWith(prefix) ? Number.parseInt(text.slice(prefix.length), 10) || 0 : 0;
}

/**
 * The history of a member from the ledger: after some of the votes count no longer, and before votes that are paid
 * again by other rules. All steps of streaks that are complete count as paid.
 *
 * @param votes all counted votes of the member in the community, in any order, with their calendar days (day numbers)
 * @param rules the rules for streaks in force
 * @param paid what the member has been paid for these votes, according to the ledger: the number of entries for streaks,
 *   and the days with an entry for all listings (day numbers)
 */
export function rebuildHistory(
  votes: readonly { readonly listing: string; readonly day: number }[],
  rules: StreakRules | null,
  outageDays: ReadonlySet<number>,
  paid: { readonly streaks: number; readonly bonusDays: Iterable<number> },
): VoteHistory {
  let history = withStreakRules(emptyHistory, rules, outageDays);
  for (const { listing, day } of votes.toSorted((one, other) => one.day - other.day)) {
    history = addVote(history, listing, day, outageDays);
  }
  for (const day of paid.bonusDays) {
    if (history.start !== null && day >= history.start) history = withBonus(history, day - history.start);
  }
  const paidSteps = rules === null ? 0 : completeSteps(history, rules, outageDays).steps;
  return { ...history, streak: { ...history.streak, paidSteps, payments: paid.streaks } };
}
