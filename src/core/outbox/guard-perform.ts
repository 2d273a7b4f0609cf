import { isOfRole } from '../../discord/circuits/role-queue.ts';
import type { RetryLater } from '../../platform/attempt-result.ts';
import type { ClaimedEffect, Perform } from './effect.ts';

/** Knows the queues of which every effect would fail now. */
export interface QueueGuard {
  /** When to try the effects of a queue; null if they are to be carried out. */
  check(queue: string): RetryLater | null;
}

/**
 * Leaves effects alone of which Discord would reject all, so that they cost no request and no work. What the handlers
 * have to settle, such as a role that was paid for, or what a deleted channel leaves behind, is left to them.
 */
export function guardPerform(perform: Perform, guard: QueueGuard): Perform {
  return async (effects) => {
    const queue = stoppedAsWhole(effects);
    return (queue === null ? null : guard.check(queue)) ?? perform(effects);
  };
}

/** The queue of effects that are all stopped together; null for the roles of a guild, each of which is stopped alone. */
function stoppedAsWhole([effect]: readonly ClaimedEffect[]): string | null {
  if (effect === undefined || (effect.kind === 'role' && !isOfRole(effect.queue))) return null;
  return effect.queue;
}
