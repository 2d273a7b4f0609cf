import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it } from 'vitest';
import type { CommunityId } from '../../../src/core/ledger/account.ts';
import type { ListingWithSecrets } from '../../../src/core/receiving/listing.ts';
import { createReplay } from '../../../src/core/receiving/replay.ts';
import { identityOf } from '../../../src/core/tally/listing-context.ts';
import { firstCommunity } from '../../support/communities.ts';
import { serverAndBot, withKeyOfOnly } from '../../support/listings.ts';
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

describe('the listing of a stored delivery', () => {
  const [second, third] = [2 as CommunityId, 3 as CommunityId];
  const [bees] = serverAndBot({ id: '1000', community: communityOf(second, '2') });
  const place = { ...bees, site: { id: 'discordplace', key: null, slug: null, confirm: false } };
  const listingGone = { outcome: 'quarantined', reason: 'its listing is not configured any more', credits: 0 };

  function communityOf(id: CommunityId, guildId: string) {
    return { id, guildId, timeZone: 'UTC', listings: ['server'] };
  }

  /** Stores a delivery that these listings' secret has signed, and replays it with others that are configured. */
  async function replayed(
    signedBy: readonly ListingWithSecrets[],
    configured: ListingWithSecrets[],
    serverId = '1000',
  ) {
    const { store } = await startReceiver();
    const timestamp = '2025-12-31T23:00:00Z';
    const body = JSON.stringify({ event: 'server_vote', userId: '42', serverId, timestamp, creditsAwarded: 7 });
    const [first] = signedBy;
    const origin = signedBy.map(identityOf);
    const { deliveryId } = await store.recorder.record(
      { receivedAt: manualClock().now(), family: 'vote', body },
      { type: 'quarantine', kind: 'server_vote', reason: 'new', listing: first?.name ?? null, origin },
    );
    const delivery = await store.records.delivery(deliveryId);
    if (delivery === null) throw new Error('not stored');
    const { outcome, reason, credits } = await createReplay({
      ...{ listings: () => configured, recorder: store.recorder, clock: manualClock() },
    })(delivery);
    const after = await store.records.delivery(deliveryId);
    return { outcome, reason, credits, listing: after?.listing ?? null, kind: after?.kind ?? null };
  }

  it('may have another name, if it is the same server on the same site in the same community', async () => {
    const renamed = { ...bees, name: 'renamed' };
    expect(await replayed([bees], [renamed])).toMatchObject({ outcome: 'recorded', credits: 7, listing: 'renamed' });
    const others = [{ ...bees, name: 'repeated' }, bees];
    expect(await replayed([bees], others)).toMatchObject({ outcome: 'recorded', listing: 'server' });
    const withoutId = { ...bees, id: null };
    expect(await replayed([withoutId], [bees])).toMatchObject({ outcome: 'recorded' });
    expect(await replayed([withoutId], [renamed])).toMatchObject(listingGone);
  });

  it.each([
    ['nothing', []],
    ['the listings of others', serverAndBot({ community: communityOf(firstCommunity, '1') })],
    ['its name in another guild', [{ ...bees, community: communityOf(third, '3') }]],
    ['its name in its community if that has another guild', [{ ...bees, community: communityOf(second, '3') }]],
    ['its name on another site', [place]],
    ['its name for another server', [{ ...bees, id: '2000' }]],
    ['its name for a bot', [{ ...bees, kind: 'bot' as const }]],
  ])('is not %s, so the delivery waits as it is, and says so', async (_, configured) => {
    const waiting = { ...listingGone, listing: 'server', kind: 'server_vote' };
    expect(await replayed([bees], configured)).toEqual(waiting);
  });

  it('is not another one of its secret, if that one was removed', async () => {
    const other = { ...bees, name: 'other', id: '2000', community: communityOf(third, '3') };
    expect(await replayed([bees, other], [bees, other])).toMatchObject({ outcome: 'recorded', listing: 'server' });
    expect(await replayed([bees, other], [other])).toMatchObject(listingGone);
    expect(await replayed([bees, other], [other], '2000')).toMatchObject({ outcome: 'recorded', listing: 'other' });
    const unknown = await replayed([bees, other], [other], '3000');
    expect(unknown).toMatchObject({ outcome: 'quarantined', credits: 0 });
  });
});
