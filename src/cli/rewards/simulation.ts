import type { Cause } from '../../core/ledger/entry.ts';
import { type ReplayContext, replayVotes } from '../../core/rewards/replay-votes.ts';
import type { MemberEntry, MemberLedger } from '../../core/store/snapshots/member-ledgers.ts';
import { awardedIn, pastVotesOf } from './past-votes.ts';

/** What the rules of rewards decide. Corrections and what members buy are the same under all rules. */
export const rewardCauses = [
  ...['vote', 'denied', 'claim', 'premium', 'streak', 'milestone', 'allListings', 'party'],
] as const satisfies readonly Cause[];

/** Credits that a member was paid, and would have been paid under other rules. */
export interface MemberComparison {
  readonly userId: string;
  readonly paid: number;
  readonly simulated: number;
}

/** Number of entries and their credits. */
export interface EntrySum {
  readonly entries: number;
  readonly credits: number;
}

/** Entries of one cause that were paid, and that other rules would have paid. */
export interface CauseComparison {
  readonly cause: Cause;
  readonly paid: EntrySum;
  readonly simulated: EntrySum;
}

type PaidEntry = Pick<MemberEntry, 'cause' | 'credits'>;

/** Compares what members were paid with what other rules would have paid them. */
export function createSimulation(context: Omit<ReplayContext, 'roles'>) {
  const paidByCause = new Map<Cause, EntrySum>();
  const simulatedByCause = new Map<Cause, EntrySum>();
  let members = 0;
  let votes = 0;

  return {
    compare({ userId, roles, entries }: MemberLedger): MemberComparison {
      const past = pastVotesOf(entries);
      const earned = replayVotes(userId, past, { ...context, roles: new Set(roles) }).entries;
      members += 1;
      votes += past.length;
      return {
        userId,
        paid: addTo(paidByCause, entries),
        simulated: addTo(simulatedByCause, [...earned, ...premiumEntries(entries, context)]),
      };
    },
    members: () => members,
    votes: () => votes,
    causes: (): CauseComparison[] =>
      rewardCauses
        .map((cause) => ({
          cause,
          paid: paidByCause.get(cause) ?? none,
          simulated: simulatedByCause.get(cause) ?? none,
        }))
        .filter(({ paid, simulated }) => paid.entries + simulated.entries > 0),
  };
}

const none: EntrySum = { entries: 0, credits: 0 };

/** Premium pays the number of its delivery, or else that of the rules. */
function premiumEntries(entries: readonly MemberEntry[], { listingOf }: Pick<ReplayContext, 'listingOf'>): PaidEntry[] {
  return entries
    .filter(({ cause }) => cause === 'premium')
    .map((entry) => ({
      cause: 'premium',
      credits: awardedIn(entry) ?? listingOf(entry.listing).rewards.base.perPremium,
    }));
}

/** Adds the entries to the sums by cause, and returns their credits. */
function addTo(sums: Map<Cause, EntrySum>, entries: readonly PaidEntry[]): number {
  let total = 0;
  for (const { cause, credits } of entries) {
    if (!rewardCauses.some((each) => each === cause)) continue;
    const sum = sums.get(cause) ?? none;
    sums.set(cause, { entries: sum.entries + 1, credits: sum.credits + credits });
    total += credits;
  }
  return total;
}
