import { systemClock } from '@tallyhook/platform/clock';
import { isSkipped } from '@tallyhook/platform/testing/optional-programs';
import { freePort } from '@tallyhook/platform/testing/postgres';
import { isRedisInstalled, startRedis } from '@tallyhook/platform/testing/redis';
import { expect, it, onTestFinished } from 'vitest';
import { createEffectNotices, noticesThrough } from '../../../src/core/outbox/effect-notices.ts';

it.skipIf(isSkipped(isRedisInstalled))(
  'notices of effects reach the other processes, also after Redis was down',
  async () => {
    const port = await freePort();
    const url = `redis://127.0.0.1:${port}`;
    const received: { readonly process: number; readonly queues: readonly string[] }[] = [];
    const processes = [0, 1, 2].map((process) => {
      const notices = createEffectNotices(noticesThrough(url, systemClock));
      notices.listen((queues) => received.push({ process, queues }));
      onTestFinished(() => notices.stop());
      // One process only receives webhooks.
      if (process < 2) notices.start();
      return notices;
    });
    const publishUntilReceived = (sender: number) =>
      expect
        .poll(
          async () => {
            processes[sender]?.publish(['1', '2']);
            processes[sender]?.publish(['2', '3']);
            await systemClock.sleep(100);
            return received.length;
          },
          { timeout: 10_000 },
        )
        .toBeGreaterThan(0);

    processes[0]?.publish(['4']);
    let redis = await startRedis(port);
    await publishUntilReceived(0);
    expect(new Set(received.map(({ process }) => process))).toEqual(new Set([1]));
    expect(received.at(-1)?.queues).toEqual(['1', '2', '3']);

    await redis.stop();
    received.length = 0;
    processes[0]?.publish(['5']);
    redis = await startRedis(port);
    onTestFinished(() => redis.stop());
    await publishUntilReceived(2);
    expect(received.at(-1)?.queues).toEqual(['1', '2', '3']);
  },
);

it('notices reach this process alone without Redis', () => {
  const notices = createEffectNotices(noticesThrough('memory:', systemClock));
  const received: string[] = [];
  notices.listen((queues) => received.push(...queues));
  notices.start();
  notices.publish(['1']);
  notices.nudge(['2', '3']);
  notices.stop();
  expect(received).toEqual(['2', '3']);
});
