import { day, hour } from '@tallyhook/platform/durations';
import { manualClock, storeClock } from '@tallyhook/platform/testing/manual-clock';
import { expect, it, onTestFinished } from 'vitest';
import { createPseudonym } from '../../src/core/ledger/account.ts';
import { createReplay } from '../../src/core/receiving/replay.ts';
import { openSnapshot } from '../../src/core/store/snapshots/snapshot.ts';
import type { ListingContext } from '../../src/core/tally/listing-context.ts';
import { forgetMember } from '../../src/features/member-data/store.ts';
import { openStore } from '../../src/features/store.ts';
import type { Event, Premium, Vote } from '../../src/webhook/event.ts';
import { describeOnEveryDatabase } from '../support/databases.ts';
import { serverAndBot } from '../support/listings.ts';

const listing = serverAndBot()[0] as ListingContext;
const start = Date.UTC(2026, 0, 1);
const member = '200000000000000001';

const vote = (at: number | null): Vote => ({
  ...{ family: 'vote', kind: 'server_vote', target: { kind: 'server', id: null }, userId: member, at },
  ...{ creditsAwarded: null, denial: null },
});
const purchase: Premium = {
  ...{ family: 'premium', kind: 'premium_purchase', target: { kind: 'server', id: null }, userId: member, at: start },
  ...{ orderIds: ['order-1'], tier: null, periodEnd: null, giftedBy: null, isRecipient: false, creditsAwarded: null },
};

describeOnEveryDatabase('the body of a repeated delivery', (newUrl) => {
  async function open() {
    const url = newUrl();
    const clock = manualClock(start);
    const store = await openStore(url, storeClock(clock), { thread: false });
    onTestFinished(() => store.close());
    const record = (event: Event, body: string, receivedAt = start) =>
      store.recorder.record({ receivedAt, family: event.family, body }, { type: 'event', event, listing });
    /** As they are stored. */
    async function bodies() {
      const snapshot = await openSnapshot(url);
      const rows = snapshot.db.selectFrom('deliveries').select(['id', 'outcome', 'body', 'original_id']);
      const stored = await snapshot.run(rows.orderBy('id'));
      await snapshot.close();
      return stored;
    }
    return { url, store, record, bodies };
  }

  it.each([
    ['a vote', vote(start - hour)],
    ['a vote without a timestamp', vote(null)],
    ['a purchase', purchase],
  ])('is that of the first one: %s', async (_what, event) => {
    const { store, record, bodies } = await open();
    const first = `{"first":"${'x'.repeat(1_000)}"}`;
    // Together in one batch, and later.
    const together = await Promise.all([record(event, first), record(event, '{"repeat":1}')]);
    const later = await record(event, '{"repeat":2}', start + hour);
    expect(together.map(({ outcome }) => outcome)).toEqual(['recorded', 'duplicate']);
    const [original, ...repeats] = [...together, later].map(({ deliveryId }) => deliveryId);
    expect(await bodies()).toEqual([
      { id: original, outcome: 'recorded', body: first, original_id: null },
      ...repeats.map((id) => ({ id, outcome: 'duplicate', body: '', original_id: original })),
    ]);
    for (const id of repeats)
      expect(await store.records.delivery(id)).toMatchObject({ body: first, originalId: original });
    const duplicates = await store.records.deliveries({ outcome: 'duplicate', limit: 9, before: null });
    expect(duplicates.map(({ id, body }) => [id, body])).toEqual(repeats.toReversed().map((id) => [id, first]));
    const replay = createReplay({ listings: serverAndBot, recorder: store.recorder, clock: manualClock(start) });
    const duplicate = await store.records.delivery(later.deliveryId);
    expect(duplicate && (await replay(duplicate))).toMatchObject({ outcome: 'duplicate', credits: 0 });
  });

  it('is its own for a different vote within the cooldown', async () => {
    const { record, bodies } = await open();
    await record(vote(start), '{"vote":1}');
    await record(vote(start + hour), '{"vote":2}', start + hour);
    expect(await bodies()).toMatchObject([
      { outcome: 'recorded', body: '{"vote":1}' },
      { outcome: 'recorded', body: '{"vote":2}' },
    ]);
  });

  it('is pruned and forgotten with the first one', async () => {
    const { store, record, bodies } = await open();
    const { deliveryId } = await record(vote(start), `{"user":"${member}"}`);
    const repeat = await record(vote(start), `{"user":"${member}","again":true}`, start + day);
    await forgetMember(store.memberData, member, {
      pseudonym: createPseudonym(),
      now: start + 2 * day,
      keepVotesMs: day,
    });
    expect(JSON.stringify(await bodies())).not.toContain(member);
    // Forgotten with its member, so that its body is not the only trace.
    const again = await record(vote(start), `{"user":"${member}"}`, start + 2 * day);
    expect(again).toMatchObject({ outcome: 'duplicate' });
    expect((await bodies()).at(-1)).toMatchObject({ body: '', original_id: deliveryId });
    expect(await store.records.delivery(again.deliveryId)).toMatchObject({ body: '{"forgotten":true}' });

    await store.upkeep.pruneBodies(start + 30 * day, 100);
    for (const id of [deliveryId, repeat.deliveryId, again.deliveryId])
      expect(await store.records.delivery(id)).toMatchObject({ body: '' });
  });
});
