import { bonusDaysIn } from '../../core/rewards/all-listings.ts';
import type { Grant } from '../../core/rewards/grant.ts';
import type { VoteHistory } from '../../core/rewards/history.ts';
import { milestoneGrants } from '../../core/rewards/milestones.ts';
import { rebuildHistory } from '../../core/rewards/rebuild-history.ts';
import {
  type EarnedEntry,
  type PastVote,
  type ReplayContext,
  type ReplayListing,
  replayVotes,
} from '../../core/rewards/replay-votes.ts';

/** What a member has in the ledger. */
export interface MemberRecord {
  readonly userId: string;
  /** The counted votes, in any order. */
  readonly votes: readonly PastVote[];
  /** The achievements that are paid, of all causes. */
  readonly paid: ReadonlySet<string>;
}

/** What a member would have earned if the rules had been in force from the first vote on, and was not paid. */
export interface BackfillPlan {
  /** Their achievements are unique and not paid. */
  readonly entries: readonly EarnedEntry[];
  /** The roles of the milestones that the member has reached, granted or not. */
  readonly grants: readonly Grant[];
  /** The history with all of these entries, after which no vote pays them again. */
  readonly history: VoteHistory;
}

/**
 * Plans what a member is paid for the time before the rules.
 *
 * @param listings the listings of the community, for the roles of their milestones
 */
export function planBackfill(
  { userId, votes, paid }: MemberRecord,
  context: Omit<ReplayContext, 'roles'>,
  listings: readonly Pick<ReplayListing, 'rewards'>[],
): BackfillPlan {
  // The credits of votes stay as they were paid.
  const earned = replayVotes(userId, votes, { ...context, roles: new Set() }).filter(
    ({ achievement }) => achievement !== null,
  );
  const paidSteps = countPaid(paid, 'streak ');
  const others = earned.filter(({ cause, achievement }) => cause !== 'streak' && !paid.has(achievement ?? ''));
  const owed = [...owedSteps(earned, paidSteps), ...others].sort((one, other) => one.at - other.at);
  const entries = owed.map((entry) => ({ ...entry, reason: `${entry.reason}, before the rules` }));
  const steps = paidSteps + entries.filter(({ cause }) => cause === 'streak').length;
  return {
    entries,
    grants: withoutRepeats(listings.flatMap(({ rewards }) => milestoneGrants(rewards, userId, votes.length))),
    history: historyAfter(votes, context, { steps, earned, paid }),
  };
}

/**
 * Steps of streaks are numbered. Those before the rules came first, but their numbers follow those that are paid.
 */
function owedSteps(earned: readonly EarnedEntry[], paidSteps: number): EarnedEntry[] {
  const steps = earned.filter(({ cause }) => cause === 'streak');
  return steps
    .slice(0, Math.max(0, steps.length - paidSteps))
    .map((step, index) => ({ ...step, achievement: `streak ${paidSteps + index + 1}` }));
}

function countPaid(paid: ReadonlySet<string>, prefix: string): number {
  return [...paid].filter((achievement) => achievement.startsWith(prefix)).length;
}

/** One grant per role: one that lasts takes precedence. */
function withoutRepeats(grants: readonly Grant[]): readonly Grant[] {
  const byRole = new Map<string, Grant>();
  for (const grant of grants) if (byRole.get(grant.role)?.until !== null) byRole.set(grant.role, grant);
  return [...byRole.values()];
}

function historyAfter(
  votes: readonly PastVote[],
  { listingOf }: Pick<ReplayContext, 'listingOf'>,
  { steps, earned, paid }: { steps: number; earned: readonly EarnedEntry[]; paid: ReadonlySet<string> },
): VoteHistory {
  const { rewards, calendar, outageDays } = listingOf(null);
  const achievements = [...paid, ...earned.flatMap(({ achievement }) => achievement ?? [])];
  const counted = votes.map(({ listing, at }) => ({ listing: listing ?? '', day: calendar.dayAt(at) }));
  return rebuildHistory(counted, rewards.streak, outageDays, { streaks: steps, bonusDays: bonusDaysIn(achievements) });
}
