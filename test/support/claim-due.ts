import type { ClaimedEffect } from '../../src/core/outbox/effect-kind.ts';
import type { Outbox } from '../../src/core/outbox/outbox.ts';

/** Claims due effects of the first queue that has any. */
export async function claimDue(
  outbox: Outbox,
  now: number,
  leaseUntil: number,
  limit: number,
): Promise<readonly ClaimedEffect[]> {
  for (const { queue } of await outbox.queuesAfter('', 100, now)) {
    const effects = await outbox.claim(queue, now, leaseUntil, limit);
    if (effects.length > 0) return effects;
  }
  return [];
}
