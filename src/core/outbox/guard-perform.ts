import type { RetryLater } from '@tallyhook/platform/attempt-result';
import type { Perform } from './effect.ts';
import { targetOfQueue } from './queue.ts';

/** Knows the channels and roles of which Discord rejects every request now. */
export interface RequestGuard {
  /** When to try again; null if requests are to be sent. */
  check(target: string): RetryLater | null;
}

/**
 * Leaves effects alone of which Discord would reject all, so that they cost no request and no work. What the handlers
 * have to settle, such as a role that was paid for, or what a deleted channel leaves behind, is left to them.
 */
export function guardPerform(perform: Perform, guard: RequestGuard): Perform {
  return async (effects) => {
    const [effect] = effects;
    return (effect === undefined ? null : guard.check(targetOfQueue(effect.queue))) ?? perform(effects);
  };
}
