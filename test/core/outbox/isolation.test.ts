import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import { systemClock } from '@tallyhook/platform/clock';
import { createLog } from '@tallyhook/platform/log';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { noCommunity } from '../../../src/core/ledger/account.ts';
import { communityOfQueues, parseQueue, type QueueName } from '../../../src/core/outbox/queue.ts';
import { Worker } from '../../../src/core/outbox/worker.ts';
import { createDirectory } from '../../../src/features/communities/directory.ts';
import { knownId } from '../../../src/features/communities/listings.ts';
import { openStore, type Store } from '../../../src/features/store.ts';
import { communityIdsOf } from '../../support/communities.ts';
import { environmentWith, harbour } from '../../support/listings-file.ts';
import { newSqliteFile } from '../../support/new-sqlite.ts';
import { channelQueue, directMessageQueue } from '../../support/queues.ts';
import { addBacklog } from './test-worker.ts';

/** As the name of a community, and as a reason of Discord. */
const hostileText = `@everyone <@1> \u202E **__proto__** ${'x'.repeat(5_000)}`;
const quietChannel = channelQueue('700000000000000001');
const quietMember = directMessageQueue('700000000000000002');

/** A community whose channels begin with 6 and have 10,000 waiting effects, beside a quiet one. */
async function createBusyInstallation(
  performBusy: () => Promise<AttemptResult>,
  isBusy = (queue: string) => parseQueue(queue).id.startsWith('6'),
  communityOf = (queue: string) => (isBusy(queue) ? hostileText : 'quiet'),
  addEffects: (store: Store, path: string) => Promise<void> = async (_, path) =>
    addBacklog(path, 10_000, { channels: 500 }),
) {
  const path = newSqliteFile();
  const store = await openStore(`sqlite:${path}`, systemClock, { thread: false });
  await addEffects(store, path);
  /** After how many attempts of the busy community those of the quiet one began. */
  const begunAfter = new Map<string, number>();
  const stopped = Promise.withResolvers<AttemptResult>();
  let busyAttempts = 0;
  const worker = new Worker({
    outbox: store.outbox,
    async perform(effects) {
      const queue = effects[0]?.queue ?? '';
      if (!isBusy(queue)) {
        begunAfter.set(queue, busyAttempts);
        return { outcome: 'done' };
      }
      busyAttempts += 1;
      return Promise.race([performBusy(), stopped.promise]);
    },
    communityOf,
    clock: systemClock,
    log: createLog({ level: 'silent', secrets: [] }),
  });
  onTestFinished(async () => {
    stopped.resolve(done);
    await worker.stop();
    await store.close();
  });
  worker.start();
  await eventually(() => expect(busyAttempts).toBeGreaterThan(0));

  /** Enqueues an effect of the quiet community, and returns how many of the other one are attempted before it. */
  async function attemptsBefore(queue: QueueName): Promise<number> {
    begunAfter.delete(queue);
    const item = { item: 'VIP', price: 1 };
    const report = { type: 'purchaseClosed', purchaseId: 1, ...item } as const;
    const { type, id } = parseQueue(queue);
    await store.outbox.enqueue([
      {
        ...(type === 'channel'
          ? { kind: 'ownerReport', content: { channelId: id, report } }
          : { kind: 'directMessage', content: { userId: id, message: { type: 'purchaseFulfilled', ...item } } }),
        queue,
        deliveryId: null,
        createdAt: Date.now(),
      },
    ]);
    const before = busyAttempts;
    worker.nudge([queue]);
    await eventually(() => expect(begunAfter.has(queue)).toBe(true));
    return (begunAfter.get(queue) ?? 0) - before;
  }

  return { attemptsBefore, busyAttempts: () => busyAttempts };
}

const done = { outcome: 'done' } as const;
const never = () => new Promise<AttemptResult>(() => {});
/** There are five times as many channels that could be first. */
const fewAttempts = 100;

describe('a community with 10,000 waiting effects in 500 channels', () => {
  it.each<[string, () => Promise<AttemptResult>]>([
    ['each of which takes long', never],
    [
      'all of which fail, perhaps for everyone',
      () =>
        systemClock.sleep(20).then(() => ({ outcome: 'later', reason: 'Discord answered 500', scope: 'community' })),
    ],
    ['all of which are rejected', () => systemClock.sleep(20).then(() => ({ outcome: 'bury', reason: hostileText }))],
    ['each of which is sent at once', async () => done],
  ])('%s, delays no effect of another community', async (_, performBusy) => {
    const { attemptsBefore, busyAttempts } = await createBusyInstallation(performBusy);
    const before = busyAttempts();
    for (const queue of [quietChannel, quietMember, quietChannel, quietMember])
      expect(await attemptsBefore(queue)).toBeLessThan(fewAttempts);
    expect(before).toBeGreaterThan(0);
  });
});

it('5,000 direct messages that wait in one community delay none of another, not even to the same member', async () => {
  const [busyGuild, quietGuild] = ['600000000000000001', '600000000000000002'];
  const listings = [busyGuild, quietGuild].map((guildId) => ({ ...harbour, name: guildId, id: guildId, guildId }));
  const configured = loadConfig(environmentWith(listings)).listings;
  const idOf = communityIdsOf(configured);
  const [busy, quiet] = [busyGuild, quietGuild].map((guildId) => knownId(idOf, guildId));
  if (busy === undefined || quiet === undefined) throw new Error('no community');
  const communityOf = communityOfQueues(createDirectory(configured, idOf));
  const { attemptsBefore } = await createBusyInstallation(
    never,
    (queue) => parseQueue(queue).communityId === busy,
    communityOf,
    (store) =>
      store.outbox.enqueue(
        Array.from({ length: 5_000 }, (_, index) => {
          const userId = String(700_000_000_000_000_000n + BigInt(index));
          const message = { type: 'purchaseFulfilled', item: 'VIP', price: 1 } as const;
          const queue = directMessageQueue(userId, busy);
          return { kind: 'directMessage', queue, content: { userId, message }, deliveryId: null, createdAt: 0 };
        }),
      ),
  );
  for (const communityId of [quiet, noCommunity]) {
    expect(await attemptsBefore(directMessageQueue('700000000000000000', communityId))).toBeLessThan(fewAttempts);
  }
});
