import { hour, minute } from '@tallyhook/platform/durations';
import { manualClock, storeClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type NewEffect, planKey } from '../../src/core/outbox/effect-kind.ts';
import { type QueueName, roleQueueName } from '../../src/core/outbox/queue.ts';
import { openStore, type Store } from '../../src/features/store.ts';
import { firstCommunity } from '../support/communities.ts';
import { describeOnEveryDatabase } from '../support/databases.ts';
import { channelQueue, rolesQueue } from '../support/queues.ts';

const start = Date.UTC(2026, 0, 1);
const channelId = '500000000000000001';
const queue = channelQueue(channelId);
const roleContent = { guildId: '4', userId: '1', role: '9' };
const announcementContent = {
  ...{ event: 'server_vote', test: false, listing: 'server', userId: '1', credits: 10, balance: 10, reason: null },
  ...{ at: start, nextVoteAt: null, tier: null, giftedBy: null },
  ...{ streak: 1, calculation: null, bonuses: [], roles: [] },
};
const stored = { queue, deliveryId: null, createdAt: start };
const reportContent = {
  channelId,
  report: { type: 'roleFailed', ...roleContent, reason: 'role too high', cause: 'role_too_high' },
} as const;
const report = { ...stored, kind: 'ownerReport', content: reportContent } as const;
const announcement = { ...stored, kind: 'announcement', content: announcementContent } as const;
/** As a newer version may store it. */
const unknownKind = { ...report, kind: 'medal' } as unknown as NewEffect;

describeOnEveryDatabase('effects of several kinds', (newUrl) => {
  /** With a thread, it writes at the same time as another store on the database. */
  async function open(url = newUrl(), { thread = false } = {}): Promise<Store> {
    const clock = storeClock(manualClock(start));
    const store = await openStore(url, clock, { thread });
    onTestFinished(() => store.close());
    return store;
  }
  const claim = ({ outbox }: Store, at = start, of: QueueName = queue) => outbox.claim(of, at, at + minute, 10);

  it('are claimed in their order: announcements together, other kinds one by one', async () => {
    const store = await open();
    await store.outbox.enqueue([announcement, announcement, report, report, announcement]);
    const claims = [];
    for (let count = 0; count < 5; count += 1) claims.push(await claim(store));
    expect(claims.map((claimed) => claimed.map(({ id }) => id))).toEqual([[1, 2], [3], [4], [5], []]);
    expect(claims[1]).toMatchObject([
      { kind: 'ownerReport', queue, content: reportContent, deliveryId: null, attempts: 1 },
    ]);
    expect(claims[0]).toMatchObject(Array(2).fill({ kind: 'announcement', content: announcementContent }));
    expect(new Set(claims.flat().map(({ nonce }) => nonce)).size).toBe(4);
  });

  it('of a stopped queue wait in it, of which the oldest are buried with their reason', async () => {
    const store = await open();
    const { outbox } = store;
    const stopped = roleQueueName(firstCommunity, '4', '9');
    await outbox.enqueue([report, { ...report, createdAt: start + hour }, { ...report, createdAt: start + hour }]);
    for (const at of [start, start + hour, start + hour]) {
      await outbox.park(await claim(store, at), stopped, start + hour, 'role too high');
    }
    expect(await claim(store, start + hour)).toEqual([]);
    expect(await outbox.waitingSince(start + hour)).toBe(start);
    expect(await outbox.waitingSince(start + hour, new Set(['role 4 9']))).toBe(null);
    expect(await outbox.buryOlder(stopped, start, start + hour, 'gave up', 5)).toBe(0);
    expect(await outbox.buryOlder(stopped, start + minute, start + hour, 'gave up', 5)).toBe(1);
    expect(await store.records.effect(1)).toMatchObject({ state: 'buried', reason: 'gave up', queue: stopped });
    expect(await claim(store, start + hour, stopped)).toMatchObject([{ id: 2, attempts: 2, possiblySentSince: null }]);
    // The one that is leased is left to the process that has it.
    expect(await outbox.buryOlder(stopped, start + 2 * hour, start + hour, 'gave up', 5)).toBe(1);
    expect(await store.records.effect(2)).toMatchObject({ state: 'waiting' });
    expect(await store.records.effect(3)).toMatchObject({ state: 'buried' });
  });

  it('that cannot be read are claimed alone with the reason, also from a message that was attempted', async () => {
    const store = await open();
    await store.outbox.enqueue([announcement, unknownKind, announcement]);
    const [unreadable] = await claim(store);
    expect(unreadable).toMatchObject({ id: 2, kind: 'unreadable', reason: expect.stringContaining('"medal"') });
    await store.outbox.bury(unreadable ? [unreadable] : [], start, 'unreadable');
    const message = await claim(store);
    expect(message.map(({ id }) => id)).toEqual([1, 3]);
    expect(await store.records.effect(2)).toMatchObject({ kind: 'medal', state: 'buried', reason: 'unreadable' });
  });

  it('that report a failure are added once per key, even by two processes', async () => {
    const url = newUrl();
    const stores = [await open(url), await open(url, { thread: true })] as const;
    const add = (which: number, key: string) => stores[which as 0 | 1].outbox.enqueueReport(key, report);
    await Promise.all([add(0, '9 role_too_high'), add(1, '9 role_too_high'), add(0, '9 role_too_high')]);
    await add(1, '9 role_deleted');
    const { effects } = await stores[0].records.counts();
    expect(effects).toMatchObject({ waiting: 2 });
    expect(await claim(stores[0])).toMatchObject([{ kind: 'ownerReport', content: report.content }]);
  });

  describe('planned for later', () => {
    const dueAt = start + 12 * hour;
    const planned = (id: string, at = dueAt) => {
      const effect = { ...stored, kind: 'role', content: roleContent, queue: rolesQueue('4') } as const;
      return { ...effect, plan: { key: planKey(firstCommunity, 'role', id), dueAt: at } };
    };

    it('enter their queue when they are due, as new effects', async () => {
      const store = await open();
      const { outbox } = store;
      await outbox.enqueue([planned('1'), planned('2', dueAt + minute)]);
      expect(await outbox.enqueuePlanned(dueAt - 1, 9)).toEqual([]);
      expect(await outbox.sizes()).toEqual({ waiting: 0, buried: 0 });
      expect(await outbox.enqueuePlanned(dueAt, 9)).toEqual(['roles 1 4']);
      expect(await outbox.enqueuePlanned(dueAt, 9)).toEqual([]);
      expect(await claim(store, dueAt, rolesQueue('4'))).toMatchObject([
        { kind: 'role', content: roleContent, deliveryId: null, createdAt: dueAt },
      ]);
      expect(await outbox.enqueuePlanned(dueAt + hour, 9)).toEqual(['roles 1 4']);
    });

    it('replace earlier plans with their key', async () => {
      const { outbox } = await open();
      await outbox.enqueue([planned('1'), planned('1', dueAt + minute)]);
      expect(await outbox.enqueuePlanned(dueAt, 9)).toEqual([]);
      expect(await outbox.enqueuePlanned(dueAt + minute, 9)).toEqual(['roles 1 4']);
      expect(await outbox.enqueuePlanned(dueAt + hour, 9)).toEqual([]);
    });

    it('are not due before, even if all waiting effects are woken', async () => {
      const store = await open();
      await store.outbox.enqueue([planned('1'), report]);
      await store.outbox.wake(start);
      expect(await store.outbox.enqueuePlanned(start, 9)).toEqual([]);
      expect(await store.outbox.queuesAfter('', 9, start)).toEqual([{ queue, dueAt: start }]);
    });

    it('enter their queue once when several processes move them', async () => {
      const url = newUrl();
      const stores = [await open(url), await open(url, { thread: true })] as const;
      await stores[0].outbox.enqueue(Array.from({ length: 20 }, (_, index) => planned(String(index))));
      const moved = await Promise.all(
        Array.from({ length: 8 }, (_, index) => stores[index % 2 === 0 ? 0 : 1].outbox.enqueuePlanned(dueAt, 5)),
      );
      while ((await stores[0].outbox.enqueuePlanned(dueAt, 5)).length > 0);
      expect(moved.flat().length).toBeGreaterThan(0);
      expect(await stores[0].outbox.sizes()).toEqual({ waiting: 20, buried: 0 });
    });
  });
});
