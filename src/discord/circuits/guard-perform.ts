import type { ClaimedEffect, Perform } from '../../core/outbox/effect.ts';
import { isOfRole } from '../../core/outbox/role-queue.ts';
import { retryAfterFailure } from '../discord-errors.ts';
import type { RequestGuard } from './request-guard.ts';

/**
 * Leaves effects alone of which Discord would reject all, so that they cost no request and no work. What the handlers
 * have to settle, such as a role that was paid for, or what a deleted channel leaves behind, is left to them.
 */
export function guardPerform(perform: Perform, guard: Pick<RequestGuard, 'check'>): Perform {
  return async (effects) => {
    const queue = stoppedAsWhole(effects);
    const error = queue === null ? null : guard.check(queue);
    return error === null || error.isFinal ? perform(effects) : retryAfterFailure(error);
  };
}

/** The queue of effects that are all stopped together; null for the roles of a guild, each of which is stopped alone. */
function stoppedAsWhole([effect]: readonly ClaimedEffect[]): string | null {
  if (effect === undefined || (effect.kind === 'role' && !isOfRole(effect.queue))) return null;
  return effect.queue;
}
