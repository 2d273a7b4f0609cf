import { day, hour, minute } from '@tallyhook/platform/durations';
import { manualClock, storeClock } from '@tallyhook/platform/testing/manual-clock';
import { expect, it, onTestFinished } from 'vitest';
import { openStore, type Store } from '../../../src/features/store.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { channelQueue, rolesQueue } from '../../support/queues.ts';

const start = Date.UTC(2026, 0, 5, 12);
const [guildId, channelId, other, ownerChannel] = [
  '1',
  '500000000000000001',
  '500000000000000002',
  '500000000000000003',
];

const ownerContent = {
  channelId: ownerChannel,
  report: { type: 'votePanelGone', panelChannelId: channelId },
} as const;

describeOnEveryDatabase('vote panels', (newUrl) => {
  async function open(): Promise<Store> {
    const store = await openStore(newUrl(), storeClock(manualClock(start)), { thread: false });
    await store.communityIds.addConfigured([guildId]);
    onTestFinished(() => store.close());
    return store;
  }
  const shownIn = (channel: string, id: string) => ({ guildId, shown: 'a', message: { id, channelId: channel } });
  const effectsIn = async ({ outbox }: Store, queue: string) =>
    (await outbox.claim(channelQueue(queue), start + 2 * day, start + 3 * day, 10)).map(({ kind }) => kind);

  it('have one waiting update, or another one if it was lost', async () => {
    const store = await open();
    const { votePanel } = store;
    expect(await votePanel.plan(guildId, start)).toBe(null);
    await votePanel.place({ guildId, channelId }, start);
    expect(await votePanel.plan(guildId, start + minute)).toBe(null);
    await votePanel.updated(shownIn(channelId, '7'), start + minute);
    expect(await votePanel.all()).toEqual([
      { guildId, channelId, messageId: '7', replaced: null, shown: 'a', updatedAt: start + minute },
    ]);
    const plans = [start + minute, start + minute, start + 2 * minute + day + hour];
    const queues = [];
    for (const at of plans) queues.push(await votePanel.plan(guildId, at));
    expect(queues).toEqual([channelQueue(channelId), null, channelQueue(channelId)]);
    expect(await effectsIn(store, channelId)).toEqual(['votePanel']);
  });

  it('and what else is posted in a channel are in no queue of another type, nor roles in that of another guild', async () => {
    const store = await open();
    const common = { deliveryId: null, createdAt: start };
    for (const id of ['role 2', 'confirmation bees', 'dm 1 2', 'party', `${channelId} `, '..', '']) {
      await expect(store.votePanel.place({ guildId, channelId: id }, start), id).rejects.toThrow();
      const queue = channelQueue(id);
      const report = { ...common, kind: 'ownerReport', queue, content: ownerContent } as const;
      await expect(store.outbox.enqueue([report]), queue).rejects.toThrow();
    }
    const content = { guildId, userId: '7', role: '8' };
    await expect(
      store.outbox.enqueue([{ ...common, kind: 'role', queue: rolesQueue('2'), content }]),
    ).rejects.toThrow();
    expect(await store.votePanel.find(guildId)).toBe(null);
    expect(await store.outbox.queuesAfter('', 10, start)).toEqual([]);
  });

  it('remember the message that they replace, until they are posted', async () => {
    const { votePanel } = await open();
    await votePanel.place({ guildId, channelId }, start);
    await votePanel.updated(shownIn(channelId, '7'), start);
    const moved = { channelId: other, messageId: null, replaced: { channelId, id: '7' }, shown: null };
    for (const at of [start, start + minute]) {
      await votePanel.place({ guildId, channelId: other }, at);
      expect(await votePanel.find(guildId)).toMatchObject(moved);
    }
    await votePanel.updated(shownIn(channelId, '8'), start);
    expect(await votePanel.find(guildId)).toMatchObject(moved);
    await votePanel.updated(shownIn(other, '8'), start);
    expect(await votePanel.find(guildId)).toMatchObject({ messageId: '8', replaced: null });
  });

  it('are forgotten once they are gone, which is reported once', async () => {
    const store = await open();
    const { votePanel } = store;
    await votePanel.place({ guildId, channelId }, start);
    await votePanel.removed({ guildId, channelId: other }, ownerChannel, start);
    expect(await votePanel.find(guildId)).not.toBe(null);
    for (let count = 0; count < 2; count += 1) await votePanel.removed({ guildId, channelId }, ownerChannel, start);
    expect(await votePanel.all()).toEqual([]);
    expect(await effectsIn(store, ownerChannel)).toEqual(['ownerReport']);
  });
});
