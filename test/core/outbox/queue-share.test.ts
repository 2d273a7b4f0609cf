import { setImmediate as nextTurn } from 'node:timers/promises';
import { second } from '@tallyhook/platform/durations';
import { createLog } from '@tallyhook/platform/log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { wrappedLeases } from '@tallyhook/platform/testing/wrapped-leases';
import { expect, it, onTestFinished } from 'vitest';
import type { CommunityId } from '../../../src/core/ledger/account.ts';
import { roleQueueName } from '../../../src/core/outbox/queue.ts';
import { createQueueShare, type QueueShare } from '../../../src/core/outbox/queue-share.ts';
import { openStore } from '../../../src/features/store.ts';
import { firstCommunity } from '../../support/communities.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { channelQueue, directMessageQueue, rolesQueue } from '../../support/queues.ts';

const ids = Array.from({ length: 200 }, (_, index) => `${600_000_000_000_000_000n + BigInt(index)}`);
const channels = ids.map((id) => channelQueue(id));

/** Two processes that share a database and process the outbox. */
async function startTwo() {
  const clock = manualClock();
  const store = await openStore(newSqliteUrl(), clock, { thread: false });
  onTestFinished(() => store.close());
  const log = createLog({ level: 'silent', secrets: [] });
  let pending = 0;
  const leases = wrappedLeases(store.leases, (run) => (...args) => {
    pending += 1;
    return run(...args).finally(() => (pending -= 1));
  });
  const start = () => {
    const share = createQueueShare(leases, { clock, log });
    onTestFinished(() => share.stop());
    share.start(() => {});
    return share;
  };
  const both = [start(), start()] as const;
  /** Lets both divide the queues, for longer than that takes. */
  async function divide(): Promise<void> {
    for (let passed = 0; passed < 6 * second; passed += second / 4) {
      await clock.advance(second / 4);
      for (let idle = 0; idle < 5; idle = pending === 0 ? idle + 1 : 0) await nextTurn();
    }
  }
  await divide();
  return { both, divide };
}

const owners = (shares: readonly QueueShare[], queue: string) => shares.filter((share) => share.isOwn(queue));

it('each queue belongs to one of two processes, and to the other one when that stops', async () => {
  const { both, divide } = await startTwo();
  const [first, other] = both;
  for (const queue of channels) expect(owners(both, queue)).toHaveLength(1);
  for (const share of both) expect([share.processes(), channels.some(share.isOwn)]).toEqual([2, true]);
  await first.stop();
  expect(channels.some(first.isOwn)).toBe(false);
  await divide();
  expect([other.processes(), channels.every(other.isOwn)]).toEqual([1, true]);
});

it('what Discord limits together belongs to one process: the messages to a member, the roles of a guild', async () => {
  const { both } = await startTwo();
  for (const id of ids) {
    const ofFirst = owners(both, directMessageQueue(id, firstCommunity));
    expect(ofFirst).toHaveLength(1);
    expect(owners(both, directMessageQueue(id, 2 as CommunityId))).toEqual(ofFirst);
    const ofRole = roleQueueName(firstCommunity, id, '700000000000000001');
    expect(owners(both, ofRole)).toEqual(owners(both, rolesQueue(id)));
  }
});
