import type { AccountScope } from '../../core/ledger/account-id.ts';
import { findGoalSlots, goalTimes, slotMs } from '../../core/rewards/party-goals.ts';
import type { ReplayListing } from '../../core/rewards/replay-votes.ts';
import type { Snapshot } from '../../core/store/snapshots/snapshot.ts';
import { countVotesBySlot, voteTimesIn } from '../../core/store/snapshots/vote-times.ts';

/**
 * When the goal of each period was reached in a community (ms since the epoch), by the ID of the period; empty without a
 * party.
 */
export async function partyGoalsIn(
  snapshot: Snapshot,
  accounts: AccountScope,
  { rewards, calendar }: Pick<ReplayListing, 'rewards' | 'calendar'>,
): Promise<ReadonlyMap<string, number>> {
  if (rewards.party === null) return new Map();
  const goals = findGoalSlots(await countVotesBySlot(snapshot, accounts, slotMs), rewards.party, calendar);
  const slots = goals.map(({ slot }) => slot);
  const times: number[] = [];
  for await (const at of voteTimesIn(snapshot, accounts, slots, slotMs)) times.push(at);
  return goalTimes(goals, times);
}
