import type { Vote } from '../../webhook/event.ts';
import type { Calendar } from './calendar.ts';
import type { Grant } from './grant.ts';
import { addVote, type VoteHistory, withStreakRules } from './history.ts';
import { milestoneEntries, milestoneGrants, reachedMilestone } from './milestones.ts';
import { allListingsBonus, boundariesOf, factorAt, multiplyCredits } from './multipliers.ts';
import { decideVoteReward, type RewardEntry } from './reward.ts';
import type { ListingRewards, VoterRole } from './rules.ts';
import { streakRewards } from './streak-steps.ts';

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
  /** True if a counted vote for the listing is too close, before or after it. */
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

/** The steps and milestones that a vote reached, also without credits. */
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
  const { milestones, voterRole } = rewards;
  const followed = withStreakRules(history, rewards.streak, outageDays);
  const counted = addVote(followed, listing, day, outageDays);
  const { votes } = counted;
  const entries = [voteEntry];
  const grants: Grant[] = [];
  let updated = counted;
  let { streaks, milestone } = nothingReached;
  if (rewards.streak !== null) {
    const { credits } = rewards.streak;
    const streak = streakRewards(counted, rewards.streak, day, outageDays);
    entries.push(...streak.entries);
    updated = streak.history;
    streaks = streak.days.map((days) => ({ days, credits }));
  }
  if (voterRole !== null) grants.push(voterGrant(voterRole, vote.userId, at));
  if (milestones.length > 0) {
    entries.push(...milestoneEntries(milestones, votes));
    grants.push(...milestoneGrants(rewards, vote.userId, votes));
    milestone = reachedMilestone(milestones, votes);
  }
  if (rewards.allListings > 0) {
    const bonus = allListingsBonus(updated, rewards.allListings, day, communityListings, sameTarget);
    entries.push(...bonus.entries);
    updated = bonus.history;
  }
  return { entries, grants, history: updated, reached: { streaks, milestone } };
}

/** The credits that a vote earns by itself. */
export interface VoteAmount {
  readonly credits: number;
  /** True if it is not what votes usually earn, and stays so for the rest of the calendar day. */
  readonly isToday: boolean;
}

/**
 * The credits that a vote at a time (ms since the epoch) earns by itself, for any member: without multipliers for
 * roles, the weight of votes at other sites, and amounts that a payload states.
 */
export function amountPerVote(rewards: ListingRewards, calendar: Calendar, at: number): VoteAmount {
  const day = calendar.dayAt(at);
  const creditsAt = (time: number) => {
    const context = { rewards, withinCooldown: false, at: time, roles: new Set<string>() };
    return entryOfVote({ creditsAwarded: null, denial: null }, day, context).credits;
  };
  const credits = creditsAt(at);
  const dayEnd = calendar.startOf(day + 1);
  const laterToday = boundariesOf(rewards.multipliers).filter((time) => time > at && time < dayEnd);
  const isToday = credits !== rewards.base.perVote && laterToday.every((time) => creditsAt(time) === credits);
  return { credits, isToday };
}

/** The vote's own entry. Multipliers apply to the credits of the cause `vote` only. */
function entryOfVote(
  vote: Pick<Vote, 'creditsAwarded' | 'denial' | 'atSite'>,
  day: number,
  { rewards, withinCooldown, at, roles }: Pick<VoteContext, 'rewards' | 'withinCooldown' | 'at' | 'roles'>,
): RewardEntry {
  const { cause, credits, reason } = decideVoteReward(vote, rewards.base, withinCooldown);
  const isMultiplied = cause === 'vote' && rewards.multipliers.length > 0;
  const weight = cause === 'vote' && rewards.weight ? (vote.atSite?.weight ?? 1) : 1;
  const factor = weight * (isMultiplied ? factorAt(rewards.multipliers, { at, day, roles }) : 1);
  if (factor === 1) return { cause, credits, reason, achievement: null };
  const multiplied = multiplyCredits(credits, factor);
  return { cause, credits: multiplied, reason: reason ?? `${credits} × ${factor}`, achievement: null };
}

/** The voter role until the vote's time plus its duration. A vote that arrives late never shortens it. */
function voterGrant({ role, forMs }: VoterRole, userId: string, at: number): Grant {
  return { userId, role, source: 'voter', until: at + forMs, change: 'extend' };
}
