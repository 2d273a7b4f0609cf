import { describe, expect, it } from 'vitest';
import { eventKeysOf } from '../../src/webhook/event-keys.ts';
import type { ListingWithSecrets } from '../../src/webhook/keyring.ts';
import { createReplay } from '../../src/webhook/replay.ts';
import { serverAndBot, withKeyOfOnly } from '../support/listings.ts';
import { manualClock } from '../support/manual-clock.ts';
import { receiving } from '../support/receiving.ts';

describe('the replay of a quarantined delivery', () => {
  it('pays nothing that its secret could not have said', async () => {
    const { store } = await receiving();
    const replay = createReplay({ listings: serverAndBot(), recorder: store.recorder, clock: manualClock() });
    const purchase = JSON.stringify({ event: 'premium_purchase', orderId: 'o', buyer: { userId: '42' } });
    async function replayed(family: 'vote' | 'premium') {
      const unclear = {
        type: 'unclear',
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

  it('pays a vote that says no more than who voted, once only one listing can be meant', async () => {
    const { post, store } = await receiving();
    await post('/webhooks/vote', { userId: '42', creditsAwarded: 7, timestamp: '2025-12-31T23:00:00Z' });
    const [kept] = await store.records.deliveries({ outcome: 'quarantined', limit: 1, before: null });
    if (kept === undefined) throw new Error('not kept');
    const replayWith = (listings: ListingWithSecrets[]) =>
      createReplay({ listings, recorder: store.recorder, clock: manualClock() })(kept);
    expect(await replayWith(serverAndBot())).toMatchObject({ outcome: 'quarantined' });
    expect(await replayWith(withKeyOfOnly('server'))).toMatchObject({ outcome: 'recorded', credits: 7 });
    const recorded = await store.records.delivery(kept.id);
    if (recorded === null) throw new Error('not recorded');
    expect(eventKeysOf(recorded)).toEqual([recorded.eventKey]);
  });
});
