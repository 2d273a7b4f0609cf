import type { CommunityId } from '../../core/ledger/account.ts';
import type { CommonGoal, ReplayContext } from '../../core/rewards/replay-votes.ts';
import type { Snapshot } from '../../core/store/snapshots/snapshot.ts';
import { countVotesBySlot, voteTimesIn } from '../../core/store/snapshots/vote-times.ts';
import { minute } from '../../platform/durations.ts';

/*
 * The votes that reached the goals of past periods. Millions of votes are first counted in slots of a quarter of an
 * hour, in which calendar days begin in every time zone; then only the votes of one slot per period are needed.
 */

/** Length of a slot (ms). */
const slotMs = 15 * minute;

/** The goal of the period of a time (ms since the epoch): there is one at all times, or never. */
type GoalAt = (at: number) => CommonGoal | null | undefined;

/**
 * The goals that were reached: the slot of the vote that reached each one, and its position among the votes of the slot,
 * by their time, from 0.
 * @param counts counted votes by slot, in ascending order; a period begins with a slot
 */
export function findGoals(
  counts: Iterable<{ readonly slot: number; readonly votes: number }>,
  lengthMs: number,
  goalAt: GoalAt,
) {
  const totals = new Map<string, number>();
  const found: { readonly id: string; readonly slot: number; readonly index: number }[] = [];
  for (const { slot, votes } of counts) {
    const goal = goalAt(slot * lengthMs);
    if (!goal) break;
    const before = totals.get(goal.id) ?? 0;
    totals.set(goal.id, before + votes);
    const index = goal.votes - before - 1;
    if (index >= 0 && index < votes) found.push({ id: goal.id, slot, index });
  }
  return found;
}

/** When the goals of a community were reached (ms since the epoch), by their ids. */
export async function goalTimesIn(
  snapshot: Snapshot,
  communityId: CommunityId,
  goalAt: GoalAt,
): Promise<ReplayContext['goals']> {
  if (!goalAt(0)) return new Map();
  const found = findGoals(await countVotesBySlot(snapshot, communityId, slotMs), slotMs, goalAt);
  const slots = found.map(({ slot }) => slot);
  const times: number[] = [];
  for await (const at of voteTimesIn(snapshot, communityId, slots, slotMs)) times.push(at);
  const bySlot = Map.groupBy(times, (at) => Math.floor(at / slotMs));
  return new Map(
    found.flatMap(({ id, slot, index }) => {
      const at = bySlot.get(slot)?.sort((one, other) => one - other)[index];
      return at === undefined ? [] : [[id, at] as const];
    }),
  );
}
