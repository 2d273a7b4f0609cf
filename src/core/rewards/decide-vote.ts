import type { Vote } from '../../webhook/event.ts';
import { decideVoteReward } from '../ledger/reward-rules.ts';
import { allListingsBonus } from './all-listings.ts';
import type { Calendar } from './calendar.ts';
import type { Grant } from './grant.ts';
import { addVote, type VoteHistory, withStreakRules } from './history.ts';
import { milestoneEntries, milestoneGrants, reachedMilestone } from './milestones.ts';
import { factorAt, multiplyCredits } from './multipliers.ts';
import type { RewardEntry } from './reward.ts';
import type { ListingRewards } from './rules.ts';
import { streakRewards } from './streak-steps.ts';
import { voterGrants } from './voter-role.ts';

/** Everything that a vote's rewards depend on, apart from the vote and the member's history. */
export interface VoteContext {
  /** Name of the listing that was voted for. */
  readonly listing: string;
  /** The rewards of the listing. */
  readonly rewards: ListingRewards;
  /** Names of all listings of the community; of those with one target only the first. */
  readonly communityListings: readonly string[];
  /** Names of the listings that have one target; by default all are different. */
  readonly sameTarget?: readonly (readonly string[])[] | undefined;
  readonly calendar: Calendar;
  /** The time of the vote, or of its delivery if it has none (ms since the epoch). */
  readonly at: number;
  /** Whether a counted vote for the listing is too close, before or after it. */
  readonly withinCooldown: boolean;
  /** The roles last seen of the voter (Discord IDs). */
  readonly roles: ReadonlySet<string>;
  /**
   * Days on which receiving was down for six hours or more (day numbers): at least those of the 160 days before the
   * newest vote.
   */
  readonly outageDays: ReadonlySet<number>;
}

/** The rewards of a vote. */
export interface VoteDecision {
  /** The vote's own entry first. At most one entry per achievement. */
  readonly entries: readonly RewardEntry[];
  /** The desired state of roles, also where it is unchanged. */
  readonly grants: readonly Grant[];
  /** The member's history with this vote. */
  readonly history: VoteHistory;
  readonly reached: Reached;
}

/** What a vote reached, also what pays nothing. */
export interface Reached {
  /** The completed steps of streaks: their days, and what each pays (credits). */
  readonly streaks: readonly { readonly days: number; readonly credits: number }[];
  /** The milestones with this number of counted votes, and what they pay together (credits); null for none. */
  readonly milestone: { readonly votes: number; readonly credits: number } | null;
}

const nothingReached: Reached = { streaks: [], milestone: null };

/**
 * The rewards of a vote. A vote within the cooldown earns nothing and is not in the history. The sum of all decisions
 * does not depend on the order of the votes, within the limits of {@link VoteHistory}, if the rules stay the same, the
 * listings of the community have the same rules for streaks, milestones and the bonus, and each vote is decided once.
 */
export function decideVote(history: VoteHistory, vote: Vote, context: VoteContext): VoteDecision {
  const { rewards, withinCooldown } = context;
  const day = context.calendar.dayAt(context.at);
  const voteEntry = entryOfVote(vote, day, context);
  if (withinCooldown) return { entries: [voteEntry], grants: [], history, reached: nothingReached };

  const { listing, outageDays, communityListings, sameTarget, at } = context;
  const followed = withStreakRules(history, rewards.streak, outageDays);
  const counted = addVote(followed, listing, day, outageDays);
  const { votes } = counted;
  const streak = streakRewards(counted, rewards.streak, day, outageDays);
  const bonus = allListingsBonus(streak.history, rewards.allListings, day, communityListings, sameTarget);
  return {
    entries: [voteEntry, ...streak.entries, ...milestoneEntries(rewards.milestones, votes), ...bonus.entries],
    grants: [...voterGrants(rewards.voterRole, vote.userId, at), ...milestoneGrants(rewards, vote.userId, votes)],
    history: bonus.history,
    reached: {
      streaks: streak.days.map((days) => ({ days, credits: rewards.streak?.credits ?? 0 })),
      milestone: reachedMilestone(rewards.milestones, votes),
    },
  };
}

/** The vote's own entry. Multipliers apply to the credits of the cause `vote` only. */
function entryOfVote(vote: Vote, day: number, { rewards, withinCooldown, at, roles }: VoteContext): RewardEntry {
  const { cause, credits, reason } = decideVoteReward(vote, rewards.base, withinCooldown);
  const factor = cause === 'vote' ? factorAt(rewards.multipliers, { at, day, roles }) : 1;
  if (factor === 1) return { cause, credits, reason, achievement: null };
  const multiplied = multiplyCredits(credits, factor);
  return { cause, credits: multiplied, reason: reason ?? `${credits} × ${factor}`, achievement: null };
}
