import { describe, expect, it } from 'vitest';
import type { ListingWithSecrets } from '../../../src/core/receiving/listing.ts';
import { createReplay } from '../../../src/core/receiving/replay.ts';
import { identityOf } from '../../../src/core/tally/listing-identity.ts';
import { serverAndBot, withKeyOfOnly } from '../../support/listings.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { startReceiver } from '../../support/start-receiver.ts';

describe('the replay of a quarantined delivery', () => {
  it('pays nothing for an event that its secret does not authorize', async () => {
    const { store } = await startReceiver();
    const replay = createReplay({ listings: () => serverAndBot(), recorder: store.recorder, clock: manualClock() });
    const purchase = JSON.stringify({ event: 'premium_purchase', orderId: 'o', buyer: { userId: '42' } });
    async function replayOf(family: 'vote' | 'premium') {
      const routed = {
        type: 'quarantine',
        kind: 'premium_purchase',
        reason: 'unknown kind of event',
        listing: 'server',
        origin: serverAndBot().map(identityOf),
      } as const;
      const { deliveryId } = await store.recorder.record({ receivedAt: 1, family, body: purchase }, routed);
      const delivery = await store.records.delivery(deliveryId);
      if (delivery === null) throw new Error('not stored');
      return replay(delivery);
    }
    expect(await replayOf('vote')).toMatchObject({
      outcome: 'quarantined',
      reason: 'it was signed with a vote secret',
    });
    expect(await replayOf('premium')).toMatchObject({ outcome: 'recorded', credits: 100 });
  });

  it('pays a vote that names only its voter when the settings leave a single listing', async () => {
    const { post, store } = await startReceiver();
    await post('/webhooks/vote', { userId: '42', creditsAwarded: 7, timestamp: '2025-12-31T23:00:00Z' });
    const [delivery] = await store.records.deliveries({ outcome: 'quarantined', limit: 1, before: null });
    if (delivery === undefined) throw new Error('not stored');
    const replayWith = (listings: ListingWithSecrets[]) =>
      createReplay({ listings: () => listings, recorder: store.recorder, clock: manualClock() })(delivery);
    expect(await replayWith(serverAndBot())).toMatchObject({ outcome: 'quarantined' });
    expect(await replayWith(withKeyOfOnly('server'))).toMatchObject({ outcome: 'recorded', credits: 7 });
  });
});
