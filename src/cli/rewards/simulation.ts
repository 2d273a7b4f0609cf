import { type Cause, countedVoteCauses } from '../../core/ledger/entry.ts';
import { type PastVote, type ReplayContext, replayVotes } from '../../core/rewards/replay-votes.ts';
import { rewardCauses } from '../../core/rewards/reward.ts';
import type { MemberEntry, MemberLedger } from '../../core/store/snapshots/member-ledgers.ts';
import { parseJson } from '../../platform/json.ts';
import { readPayload } from '../../webhook/payload.ts';
import { addEntries, type EntrySum, noEntries } from './history.ts';

/** Credits that a member was paid, and would have been paid under other rules. */
export interface MemberComparison {
  readonly userId: string;
  readonly paid: number;
  readonly simulated: number;
}

/** Entries of one cause that were paid, and that other rules would have paid. */
export interface CauseComparison {
  readonly cause: Cause;
  readonly paid: EntrySum;
  readonly simulated: EntrySum;
}

/** Compares what members were paid with what other rules would have paid them. */
export function createSimulation(context: Omit<ReplayContext, 'roles'>) {
  const paidByCause = new Map<Cause, EntrySum>();
  const simulatedByCause = new Map<Cause, EntrySum>();
  let members = 0;
  let votes = 0;

  return {
    compare({ userId, roles, entries }: MemberLedger): MemberComparison {
      const past = pastVotesOf(entries);
      const earned = replayVotes(userId, past, { ...context, roles: new Set(roles) });
      members += 1;
      votes += past.length;
      return {
        userId,
        paid: addEntries(paidByCause, entries.filter(isReward)),
        simulated: addEntries(simulatedByCause, [...earned, ...premiumEntries(entries, context)].filter(isReward)),
      };
    },
    members: () => members,
    votes: () => votes,
    causes: (): CauseComparison[] =>
      rewardCauses
        .map((cause) => ({
          cause,
          paid: paidByCause.get(cause) ?? noEntries,
          simulated: simulatedByCause.get(cause) ?? noEntries,
        }))
        .filter(({ paid, simulated }) => paid.entries + simulated.entries > 0),
  };
}

/** Premium pays the number of its delivery, or else that of the rules. */
function premiumEntries(
  entries: readonly MemberEntry[],
  { listingOf }: Pick<ReplayContext, 'listingOf'>,
): Pick<MemberEntry, 'cause' | 'credits'>[] {
  return entries
    .filter(({ cause }) => cause === 'premium')
    .map((entry) => ({
      cause: 'premium',
      credits: awardedIn(entry) ?? listingOf(entry.listing).rewards.base.perPremium,
    }));
}

function isReward({ cause }: { readonly cause: Cause }): boolean {
  return rewardCauses.includes(cause);
}

/** The counted votes among the entries of a member. */
function pastVotesOf(entries: readonly MemberEntry[]): PastVote[] {
  return entries.flatMap((entry) => {
    const { listing, at } = entry;
    const cause = countedVoteCauses.find((counted) => counted === entry.cause);
    return cause === undefined ? [] : [{ listing, at, cause, awarded: awardedIn(entry) }];
  });
}

/**
 * The number of credits that a delivery contained; null if there was none. If its body was pruned, what was paid for it
 * counts as that.
 */
function awardedIn({ body, family, credits }: Pick<MemberEntry, 'body' | 'family' | 'credits'>): number | null {
  if (body === null) return null;
  if (body === '') return credits;
  const context = {
    premiumPath: family === 'premium',
    now: Number.MAX_SAFE_INTEGER,
    defaultVote: 'server_vote',
  } as const;
  const payload = readPayload(parseJson(body), context);
  if (payload.type !== 'event') return null;
  const { creditsAwarded } = payload.event;
  return typeof creditsAwarded === 'number' ? creditsAwarded : null;
}
