import { formatPeriod } from './calendar.ts';
import type { Grant, RewardEntry } from './reward.ts';
import type { ListingRewards, Milestone, Period } from './rules.ts';

/**
 * The entries of the milestones that a vote reaches. No two milestones may have the same `votes` and `repeats`.
 * Each counted vote raises the count by one, so a milestone is
 * reached once, and one that was added after the member had reached it pays nothing.
 *
 * @param votes counted votes, including this one
 */
export function milestoneEntries(milestones: readonly Milestone[], votes: number): RewardEntry[] {
  return milestones
    .filter((each) => each.credits > 0 && isReached(each, votes))
    .map(({ credits, repeats, votes: step }) => ({
      cause: 'milestone',
      credits,
      reason: `${votes} votes`,
      achievement: repeats === 'every' ? `milestone ${votes} every ${step}` : `milestone ${votes}`,
      count: votes,
    }));
}

/** The milestones that are reached with this vote count, also those without credits, as one; null for none. */
export function reachedMilestone(
  milestones: readonly Milestone[],
  votes: number,
): { readonly votes: number; readonly credits: number } | null {
  const reached = milestones.filter((each) => isReached(each, votes));
  return reached.length === 0 ? null : { votes, credits: reached.reduce((sum, { credits }) => sum + credits, 0) };
}

/** Checks a milestone of all votes; those of weeks and months are in {@link periodEntries}. */
function isReached({ repeats, votes: step }: Milestone, votes: number): boolean {
  return repeats === 'every' ? votes % step === 0 : repeats === 'once' && votes === step;
}

/**
 * The entries of the milestones of weeks and months that a vote reaches.
 *
 * @param day the day of the vote (day number)
 * @param votesIn the counted votes of the calendar period of that day, including this one
 */
export function periodEntries(
  milestones: readonly Milestone[],
  day: number,
  votesIn: (per: Period) => number,
): RewardEntry[] {
  return milestones.flatMap(({ credits, repeats, votes }): RewardEntry[] => {
    if (repeats === 'once' || repeats === 'every' || votesIn(repeats) !== votes) return [];
    const reason = `${votes} votes, ${formatPeriod(repeats, day)}`;
    return [{ cause: 'milestone', credits, reason, achievement: `milestone ${reason}`, count: votes }];
  });
}

/**
 * Checks whether an achievement is a milestone of more votes than the account has, in all or in its period. Then it can
 * be reached again.
 *
 * @param votesIn the counted votes of a period, as {@link formatPeriod} writes it
 */
export function isUnreachedMilestone(
  achievement: string | null,
  votes: number,
  votesIn: (period: string) => number,
): boolean {
  const [, step, period] = /^milestone (\d+)(?: votes, (.+))?/.exec(achievement ?? '') ?? [];
  return Number(step) > (period === undefined ? votes : votesIn(period));
}

/**
 * The roles of a member with this many counted votes, also of milestones that were added later. With `milestoneRoles:
 * highest`, the roles of the other reached milestones end.
 */
export function milestoneGrants(
  { milestones, milestoneRoles }: Pick<ListingRewards, 'milestones' | 'milestoneRoles'>,
  userId: string,
  votes: number,
): Grant[] {
  const reached = milestones.filter((each) => each.role !== null && each.votes <= votes);
  const highest = Math.max(...reached.map((each) => each.votes));
  const kept = new Set(
    reached.filter((each) => milestoneRoles === 'all' || each.votes === highest).map(({ role }) => role),
  );
  return [...new Set(reached.map(({ role }) => role))]
    .filter((role) => role !== null)
    .map((role) => ({ userId, role, source: 'milestone', until: kept.has(role) ? null : 0, change: 'replace' }));
}

/** The rewards of the next vote count that reaches a milestone. */
export interface NextMilestone {
  /** Counted votes. */
  readonly votes: number;
  readonly credits: number;
  /** Discord IDs. */
  readonly roles: readonly string[];
}

/** The milestones of all votes that a member with this many counted ones reaches next; null if there are none. */
export function nextMilestone(milestones: readonly Milestone[], votes: number): NextMilestone | null {
  const upcoming = milestones
    .filter(({ repeats }) => repeats === 'once' || repeats === 'every')
    .map((each) => ({
      ...each,
      at: each.repeats === 'every' ? (Math.floor(votes / each.votes) + 1) * each.votes : each.votes,
    }))
    .filter(({ at }) => at > votes);
  if (upcoming.length === 0) return null;
  const at = Math.min(...upcoming.map((each) => each.at));
  const reached = upcoming.filter((each) => each.at === at);
  return {
    votes: at,
    credits: reached.reduce((sum, { credits }) => sum + credits, 0),
    roles: reached.flatMap(({ role, votes: first }) => (role !== null && first === at ? [role] : [])),
  };
}
