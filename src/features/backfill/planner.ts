import { countedVoteCauses, type Entry } from '../../core/ledger/entry.ts';
import type { Grant, StoredGrant } from '../../core/rewards/grant.ts';
import type { Outage } from '../../core/rewards/outages.ts';
import { addToScores } from '../../core/rewards/period-scores.ts';
import type { ReplayContext } from '../../core/rewards/replay-votes.ts';
import { streakOn } from '../../core/rewards/streak.ts';
import type { ReachedGoals } from '../../core/store/sql-module.ts';
import type { AccountState } from '../../core/tally/account-state.ts';
import type { CommunityContext } from '../../core/tally/community.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import { listingsByName } from '../../core/tally/replay-listings.ts';
import { type BackfillPlan, type MemberRecord, planBackfill } from './plan.ts';

/** The rules in force, for members who voted before them. Plain data. */
export interface BackfillRules {
  /** The listings of the community; at least one. */
  readonly listings: readonly ListingContext[];
  /** The common goals that are paid. */
  readonly goals: ReachedGoals;
}

export function communityOf({ listings: [listing] }: Pick<BackfillRules, 'listings'>): CommunityContext {
  if (listing === undefined) throw new Error('There is no listing.');
  return listing.community;
}

export interface BackfilledMember {
  readonly entries: readonly Pick<Entry, 'cause' | 'credits'>[];
  readonly roles: number;
}

/** An entry of a member, as far as a backfill depends on it. */
export type BackfillEntry = Pick<Entry, 'listing' | 'at' | 'cause' | 'credits' | 'achievement'>;

/** What is stored about a member beside the entries. */
export interface MemberState {
  readonly grants: readonly StoredGrant[];
  /** The ids of goals for which the member's votes were counted while they were in force. */
  readonly joined: readonly string[];
}

/** Plans what members are owed, under the same rules for all. */
export function createBackfillPlanner(
  { listings, goals }: BackfillRules,
  outages: readonly Outage[],
  goalAt: ReplayContext['goalAt'],
) {
  const listingOf = listingsByName(listings, outages);
  const context = { listingOf, goalAt, goals: new Map(goals) };

  return {
    /** @param entries all entries of the member, in any order */
    plan: (userId: string, entries: readonly BackfillEntry[]) =>
      planBackfill(recordOf(userId, entries), context, listings),

    /** The account with what a plan changes apart from its entries. */
    apply(account: AccountState, { history, entries }: BackfillPlan, now: number): AccountState {
      const { calendar, outageDays, rewards } = listingOf(null);
      const dayOf = ({ at }: { readonly at: number }) => calendar.dayAt(at);
      const forgive = rewards.streak?.forgive ?? 0;
      return {
        ...account,
        history,
        streak: streakOn(history, calendar.dayAt(now), { forgive, outageDays }),
        scores: entries.reduce((sum, entry) => addToScores(sum, dayOf(entry), 0, entry.credits), account.scores),
      };
    },
  };
}

/**
 * The part of a plan that is not done yet; null if that is nothing. A goal itself pays those who took part while it was
 * in force.
 */
export function owedOf(plan: BackfillPlan, { grants, joined }: MemberState): BackfillPlan | null {
  const entries = plan.entries.filter(({ goal }) => goal === undefined || !joined.includes(goal));
  const missing = plan.grants.filter((grant) => !isGranted(grant, grants));
  return entries.length === 0 && missing.length === 0 ? null : { ...plan, entries, grants: missing };
}

/** The ids of the common goals that a plan pays. */
export function goalsIn({ entries }: Pick<BackfillPlan, 'entries'>): readonly string[] {
  return entries.flatMap(({ goal }) => goal ?? []);
}

function recordOf(userId: string, entries: readonly BackfillEntry[]) {
  const votes = entries.flatMap(({ listing, at, cause: entryCause, credits }) => {
    const cause = countedVoteCauses.find((counted) => counted === entryCause);
    return cause === undefined ? [] : [{ listing, at, cause, credits, awarded: null }];
  });
  const paid = new Set(entries.flatMap(({ achievement }) => achievement ?? []));
  return { userId, votes, paid } satisfies MemberRecord;
}

/** Whether nothing is left to do for a grant: it is stored, or has ended and is not stored. */
function isGranted({ role, source, until }: Grant, grants: readonly StoredGrant[]): boolean {
  const stored = grants.find((each) => each.role === role && each.source === source);
  return stored === undefined ? until === 0 : stored.until === until;
}
