import { describe, expect, it } from 'vitest';
import { createReplay } from '../../src/webhook/replay.ts';
import { serverAndBot } from '../support/listings.ts';
import { manualClock } from '../support/manual-clock.ts';
import { receiving } from '../support/receiving.ts';

describe('the replay of a quarantined delivery', () => {
  it('pays nothing that its secret could not have said', async () => {
    const { store } = await receiving();
    const replay = createReplay({ listings: serverAndBot(), recorder: store.recorder, clock: manualClock() });
    const purchase = JSON.stringify({ event: 'premium_purchase', orderId: 'o', buyer: { userId: '42' } });
    async function replayed(family: 'vote' | 'premium') {
      const unclear = {
        is: 'unclear',
        kind: 'premium_purchase',
        reason: 'unknown kind of event',
        listing: 'server',
      } as const;
      const { deliveryId } = await store.recorder.record({ receivedAt: 1, family, body: purchase }, unclear);
      const kept = await store.records.delivery(deliveryId);
      if (kept === null) throw new Error('not kept');
      return replay(kept);
    }
    expect(await replayed('vote')).toMatchObject({
      outcome: 'quarantined',
      reason: 'it was signed with a vote secret',
    });
    expect(await replayed('premium')).toMatchObject({ outcome: 'recorded', credits: 100 });
  });
});
