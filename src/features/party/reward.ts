import type { Effect } from '../../core/outbox/effect.ts';
import type { AttemptResult } from '../../platform/attempt-result.ts';
import type { Clock } from '../../platform/clock.ts';
import { second } from '../../platform/durations.ts';
import type { PartyStore } from './store.ts';

/** How long one attempt may take, well below the lease of the effect (ms). */
const attemptMs = 5 * second;

/**
 * Pays the reward of a party to all its voters, some of them per transaction. Who is paid is stored, so an attempt
 * continues where the last one ended. Rejects if the database cannot be written.
 */
export function createPartyRewardHandler(
  parties: Pick<PartyStore, 'pay'>,
  clock: Clock,
): (effect: Effect<'partyReward'>) => Promise<AttemptResult> {
  return async ({ content }) => {
    const startedAt = clock.monotonic();
    while (await parties.pay(content, clock.now())) {
      if (clock.monotonic() - startedAt > attemptMs) {
        return { outcome: 'later', reason: 'more voters to pay', scope: 'effects', retryAfterMs: 0, notSent: true };
      }
    }
    return { outcome: 'done' };
  };
}
