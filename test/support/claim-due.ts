import type { Effect } from '../../src/outbox/effect.ts';
import type { Outbox } from '../../src/outbox/outbox.ts';

/** Claims due effects of the first channel that has any. */
export async function claimDue(
  outbox: Outbox,
  now: number,
  leaseUntil: number,
  limit: number,
): Promise<readonly Effect[]> {
  for (const { channelId } of await outbox.channelsAfter('', 100, now)) {
    const effects = await outbox.claim(channelId, now, leaseUntil, limit);
    if (effects.length > 0) return effects;
  }
  return [];
}
