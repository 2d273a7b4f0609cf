import { systemClock } from '@tallyhook/platform/clock';
import { expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../../../src/features/store.ts';
import type { Vote } from '../../../../src/webhook/event.ts';
import { addCommunity, firstCommunity } from '../../../support/communities.ts';
import { describeOnEveryDatabase } from '../../../support/databases.ts';
import { serverAndBot } from '../../../support/listings.ts';

const [server] = serverAndBot();
if (server === undefined) throw new Error('no listing');
const start = Date.UTC(2026, 0, 5, 12);
const guildId = '613425648685547541';

describeOnEveryDatabase('the totals of a community', (newUrl) => {
  it('are those of its listings and accounts, also if some deliveries were counted before', async () => {
    const store = await openStore(newUrl(), systemClock, { thread: false });
    onTestFinished(() => store.close());
    await store.communityIds.addConfigured(['1']);
    const communityId = await addCommunity(store, guildId);
    const other = { ...server, name: 'hosted', community: { ...server.community, id: communityId, guildId } };
    const vote = (listing: typeof server, userId: string) => {
      const event: Vote = {
        ...{ family: 'vote', kind: 'server_vote', target: { kind: 'server', id: null }, userId, at: start },
        ...{ creditsAwarded: null, denial: null },
      };
      const delivery = { receivedAt: start, family: 'vote', body: JSON.stringify({ userId }) } as const;
      return store.recorder.record(delivery, { type: 'event', event, listing });
    };
    for (const userId of ['1', '2', '2', '3']) await vote(server, userId);
    await vote(other, '1');
    const scope = { communityId: firstCommunity, guildId: 'none', listings: ['server', 'bot'] };
    const { counts, counted } = await store.records.countsIn(scope);
    expect(counts).toMatchObject({
      deliveries: { recorded: 3, duplicate: 1, quarantined: 0 },
      effects: { buried: 0, done: 0 },
      ...{ users: 3, credits: 30, votes: 3 },
    });
    expect(counts.effects.waiting).toBeGreaterThan(0);
    expect((await store.records.countsIn(scope, counted)).counts).toEqual(counts);
    const [newest] = await store.records.deliveries({ limit: 1, before: null });
    const before = { below: (newest?.id ?? 0) + 1, rows: 41 };
    expect((await store.records.countsIn(scope, before)).counts.deliveries).toMatchObject({
      recorded: 40,
      duplicate: 1,
    });
    const hosted = { communityId, guildId, listings: ['hosted'] };
    expect((await store.records.countsIn(hosted)).counts).toMatchObject({
      deliveries: { recorded: 1, duplicate: 0 },
      ...{ users: 1, credits: 10, votes: 1 },
    });
    const ended = { ...hosted, listings: [] };
    expect((await store.records.countsIn(ended)).counts).toMatchObject({ deliveries: { recorded: 0 }, users: 1 });
  });
});
