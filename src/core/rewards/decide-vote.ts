import { day as dayMs } from '@tallyhook/platform/durations';
import type { Premium, Vote } from '../../webhook/event.ts';
import { type Calendar, formatDay, hasDay, weekdayOf } from './calendar.ts';
import { addVote, countedDays, daysOf, type VoteHistory, withBonus, withStreakRules } from './history.ts';
import { type Draw, luckEntries } from './luck.ts';
import { milestoneEntries, milestoneGrants, periodEntries, reachedMilestone } from './milestones.ts';
import { decidePremiumReward, decideVoteReward, type Grant, type RewardEntry } from './reward.ts';
import type { ListingRewards, Multiplier, Period, VoterRole } from './rules.ts';
import { streakRewards } from './streak.ts';

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
  /** Decides about luck; without it there is none. */
  readonly draw?: Draw | undefined;
  /** The counted votes of the calendar period of the vote, including it; without it, no milestone of one is reached. */
  readonly votesIn?: ((per: Period) => number) | undefined;
}

/** The rewards of a vote. */
interface VoteDecision {
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
    if (context.votesIn !== undefined) entries.push(...periodEntries(milestones, day, context.votesIn));
    grants.push(...milestoneGrants(rewards, vote.userId, votes));
    milestone = reachedMilestone(milestones, votes);
  }
  if (rewards.allListings > 0) {
    const bonus = allListingsBonus(updated, rewards.allListings, day, communityListings, sameTarget);
    entries.push(...bonus.entries);
    updated = bonus.history;
  }
  if (rewards.firstVote > 0) entries.push(...firstVoteBonus(followed, rewards.firstVote, day));
  if (context.draw !== undefined) entries.push(...luckEntries(rewards.luck, context.draw));
  return { entries, grants, history: updated, reached: { streaks, milestone } };
}

/** The credits that a vote earns by itself. */
export interface VoteAmount {
  readonly credits: number;
  /** True if it is not what votes usually earn, and stays so for the rest of the calendar day. */
  readonly isToday: boolean;
  /** The multipliers that make it so. */
  readonly multipliers: readonly Multiplier[];
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
  const moment = { at, day, roles: new Set<string>() };
  const multipliers = rewards.multipliers.filter((each) => each.factor !== 1 && applies(each, moment));
  return { credits, isToday, multipliers };
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

/** A premium order, as far as its role depends on it. */
export interface PremiumOrder {
  /** Any ID of the order, always the same one. */
  readonly id: string;
  /** The holder: the recipient of a gift, otherwise the buyer. Null while unknown, as of an active gift. */
  readonly userId: string | null;
  readonly tier: string | null;
  readonly state: 'active' | 'expired' | 'revoked';
  /** The latest end of a paid period (ms since the epoch); null if unknown. */
  readonly periodEnd: number | null;
}

/**
 * The rewards of a purchase, renewal, expiry or revocation: entries for the holder, the recipient of a gift, of which
 * an expiry and a revocation have none. Multipliers do not apply. The role follows from the order alone, so that it is
 * right whatever the order of arrival.
 *
 * @param event with the holder of its order as `userId`
 * @param context `rewards`: of the listing that the order is for; `before`: the order before the event, null if it is new;
 *   both orders are null if the event names none
 */
export function decidePremium(
  event: Premium,
  context: {
    readonly rewards: ListingRewards;
    readonly before: PremiumOrder | null;
    readonly after: PremiumOrder | null;
  },
): { readonly entries: readonly RewardEntry[]; readonly grants: readonly Grant[] } {
  const { rewards, before, after } = context;
  const decision = decidePremiumReward(event, rewards.base, before?.state === 'revoked');
  const entries = decision === null ? [] : [{ ...decision, achievement: null }];
  return { entries, grants: premiumGrants(rewards.premiumRoles, before, after) };
}

/** The role of a tier; null for none. A tier is named exactly; `*` is for all others and for orders without a tier. */
export function roleOfTier(premiumRoles: ListingRewards['premiumRoles'], tier: string | null): string | null {
  const named = tier !== null && Object.hasOwn(premiumRoles, tier) ? premiumRoles[tier] : undefined;
  return named ?? (Object.hasOwn(premiumRoles, '*') ? premiumRoles['*'] : undefined) ?? null;
}

/**
 * The role of an order for its holder: until the end of its period while it is active, not at all after it has expired
 * or was revoked. If the event changed the holder or the tier, the role of the previous one ends.
 */
function premiumGrants(
  premiumRoles: ListingRewards['premiumRoles'],
  before: PremiumOrder | null,
  after: PremiumOrder | null,
): Grant[] {
  const previous = before === null ? null : grantOf(premiumRoles, before);
  const current = after === null ? null : grantOf(premiumRoles, after);
  const isReplaced = previous !== null && (previous.userId !== current?.userId || previous.role !== current.role);
  return [...(isReplaced ? [{ ...previous, until: 0 }] : []), ...(current === null ? [] : [current])];
}

/** The source of the grants of an order. */
export function premiumSource(orderId: string): string {
  return `premium ${orderId}`;
}

function grantOf(premiumRoles: ListingRewards['premiumRoles'], order: PremiumOrder): Grant | null {
  const { id, userId, tier, state, periodEnd } = order;
  const role = roleOfTier(premiumRoles, tier);
  if (role === null || userId === null) return null;
  return { userId, role, source: premiumSource(id), until: state === 'active' ? periodEnd : 0, change: 'replace' };
}

/** The moment of a vote, for the conditions of multipliers. */
interface VoteMoment {
  /** Time of the vote (ms since the epoch). */
  readonly at: number;
  /** The calendar day of the vote in the community's time zone (day number). */
  readonly day: number;
  /** The roles last seen of the voter (Discord IDs). */
  readonly roles: ReadonlySet<string>;
}

/** The product of all multipliers that apply; 1 if none does. */
export function factorAt(multipliers: readonly Multiplier[], moment: VoteMoment): number {
  return multipliers.reduce((product, each) => (applies(each, moment) ? product * each.factor : product), 1);
}

/** The largest product that can apply to one vote: at the best moment of the best weekday, with all roles. */
export function largestFactor(multipliers: readonly Multiplier[]): number {
  const raising = multipliers.filter(({ factor }) => factor > 1);
  const roles = new Set(raising.flatMap(({ role }) => role ?? []));
  const moments = new Set([Number.NEGATIVE_INFINITY, ...raising.flatMap(({ from }) => from ?? [])]);
  // Seven successive days are all weekdays.
  const factors = [...moments].flatMap((at) =>
    [0, 1, 2, 3, 4, 5, 6].map((day) => factorAt(raising, { at, day, roles })),
  );
  return Math.max(...factors);
}

/** When the windows of multipliers begin and end (ms since the epoch). */
function boundariesOf(multipliers: readonly Multiplier[]): readonly number[] {
  return multipliers.flatMap(({ from, until }) => [from, until].filter((time) => time !== null));
}

function applies({ days, from, until, role }: Multiplier, { at, day, roles }: VoteMoment): boolean {
  return (
    (days === null || days.includes(weekdayOf(day))) &&
    (from === null || at >= from) &&
    (until === null || at < until) &&
    (role === null || roles.has(role))
  );
}

/** Whole credits, rounded down. */
export function multiplyCredits(credits: number, factor: number): number {
  // 100 × 1.15 is 114.99999999999999 in binary; the owner expects 115.
  return Math.floor(credits * factor * (1 + 1e-12));
}

const prefix = 'allListings ';

/**
 * The bonus for a counted vote on every listing within one calendar day, once per day, whichever vote comes last. There
 * is none in a community with one listing, where it would only be a second reward for the same vote.
 *
 * @param history with the vote
 * @param listings names of all listings of the community
 * @param sameTarget names that are one listing: a vote for one of them is enough
 */
function allListingsBonus(
  history: VoteHistory,
  credits: number,
  day: number,
  listings: readonly string[],
  sameTarget: readonly (readonly string[])[] = [],
): { readonly entries: readonly RewardEntry[]; readonly history: VoteHistory } {
  const none = { entries: [], history };
  if (listings.length < 2 || history.start === null) return none;
  const offset = day - history.start;
  if (hasDay(history.bonusDays, offset)) return none;
  const hasVoted = (listing: string) => hasDay(daysOf(history, listing), offset);
  const namesOf = (listing: string) => sameTarget.find((names) => names.includes(listing)) ?? [listing];
  if (!listings.every((listing) => namesOf(listing).some(hasVoted))) return none;
  const date = formatDay(day);
  const entry: RewardEntry = { cause: 'allListings', credits, reason: date, achievement: `${prefix}${date}` };
  return { entries: [entry], history: withBonus(history, offset) };
}

/**
 * The bonus for a counted vote of a calendar day without one so far, on any listing. A denied vote counts, as for
 * streaks. There is none for a day that the history does not remember.
 *
 * @param history without the vote
 */
function firstVoteBonus(history: VoteHistory, credits: number, day: number): readonly RewardEntry[] {
  const { start } = history;
  if (start !== null && (day < start || hasDay(countedDays(history), day - start))) return [];
  const date = formatDay(day);
  return [{ cause: 'firstVote', credits, reason: date, achievement: `firstVote ${date}` }];
}

/** The days of the bonuses among the achievements (day numbers). */
export function bonusDaysIn(achievements: readonly string[]): number[] {
  return achievements
    .filter((achievement) => achievement.startsWith(prefix))
    .map((achievement) => Date.parse(achievement.slice(prefix.length)) / dayMs);
}
