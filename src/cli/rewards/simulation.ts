import type { Cause } from '../../core/ledger/entry.ts';
import type { ReplayContext } from '../../core/rewards/replay-votes.ts';
import { rewardCauses } from '../../core/rewards/reward.ts';
import type { MemberLedger } from '../../core/store/member-ledgers.ts';
import { pastEventsOf, simulateEntries } from '../../features/backfill/past-events.ts';
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
      const past = pastEventsOf(entries);
      const simulated = simulateEntries(userId, past, { ...context, roles: new Set(roles) });
      const paid = entries.filter(({ cause }) => rewardCauses.includes(cause));
      members += 1;
      votes += past.votes.length;
      return {
        userId,
        paid: addEntries(paidByCause, paid),
        simulated: addEntries(simulatedByCause, simulated),
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
