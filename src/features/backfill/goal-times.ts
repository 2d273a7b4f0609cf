import type { AccountScope } from '../../core/ledger/account-id.ts';
import type { ReplayContext, ReplayListing } from '../../core/rewards/replay-votes.ts';
import type { Snapshot } from '../../core/store/snapshots/snapshot.ts';
import { countVotesBySlot, voteTimesIn } from '../../core/store/snapshots/vote-times.ts';
import { minute } from '../../platform/durations.ts';

/*
 * The votes that reached the goals of past periods. Millions of votes are first counted in slots of a quarter of an
 * hour, in which calendar days begin in every time zone; then only the votes of one slot per period are needed.
 */

/** Length of a slot (ms). */
const slotMs = 15 * minute;

/** When the goals of a community were reached under these rules (ms since the epoch), by their ids. */
export async function goalTimesIn(
  snapshot: Snapshot,
  accounts: AccountScope,
  listing: ReplayListing,
  goalAt: ReplayContext['goalAt'],
): Promise<ReplayContext['goals']> {
  // A listing has goals always or never.
  if (!goalAt?.(listing, 0)) return new Map();
  const totals = new Map<string, number>();
  /** By slot, the goals that are reached in it, and the positions of the votes that reach them, by time, from 0. */
  const found = new Map<number, { readonly id: string; readonly index: number }>();
  for (const { slot, votes } of await countVotesBySlot(snapshot, accounts, slotMs)) {
    const goal = goalAt(listing, slot * slotMs);
    if (goal === null) continue;
    const before = totals.get(goal.id) ?? 0;
    totals.set(goal.id, before + votes);
    if (before < goal.votes && before + votes >= goal.votes)
      found.set(slot, { id: goal.id, index: goal.votes - before - 1 });
  }
  const times: number[] = [];
  for await (const at of voteTimesIn(snapshot, accounts, [...found.keys()], slotMs)) times.push(at);
  const bySlot = Map.groupBy(times, (at) => Math.floor(at / slotMs));
  return new Map(
    [...found].flatMap(([slot, { id, index }]) => {
      const at = bySlot.get(slot)?.sort((one, other) => one - other)[index];
      return at === undefined ? [] : [[id, at] as const];
    }),
  );
}
