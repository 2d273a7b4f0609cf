import { systemClock } from '@tallyhook/platform/clock';
import { isSkipped } from '@tallyhook/platform/testing/optional-programs';
import { freePort } from '@tallyhook/platform/testing/postgres';
import { isRedisInstalled, startRedis } from '@tallyhook/platform/testing/redis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLookup } from '../../src/lookup/client.ts';
import { memoryKeyv } from '../../src/lookup/memory-keyv.ts';
import { openKeyv } from '../../src/lookup/open-keyv.ts';
import { json, startFakeService, success } from '../support/fake-service.ts';

const user = '123456789012345678';
const now = Date.now();
const answer = {
  canVote: false,
  lastVoteAt: new Date(now - 1_000).toISOString(),
  nextVoteAt: new Date(now + 40_000_000).toISOString(),
};

describe.skipIf(isSkipped(isRedisInstalled))('lookups of several processes', () => {
  /** Clients as in four processes, each with its own connection to the cache. */
  async function createProcesses(url: string | null) {
    const service = await startFakeService();
    onTestFinished(() => service.close());
    const clients = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const cache = url === null ? memoryKeyv() : await openKeyv(url);
        onTestFinished(() => cache.disconnect());
        // Connected before the lookups, however busy the machine is.
        await cache.get('connect');
        return createLookup({ kind: 'server', baseUrl: service.baseUrl, key: 'the-key', cache, timeoutMs: 2_000 });
      }),
    );
    const lookUp = () =>
      Promise.allSettled(Array.from({ length: 100 }, async (_, index) => clients[index % 4]?.voteStatus(user)));
    return { service, lookUp };
  }

  async function redisUrl(): Promise<string> {
    const port = await freePort();
    const redis = await startRedis(port);
    onTestFinished(() => redis.stop());
    return `redis://127.0.0.1:${port}`;
  }

  it('send one request for 100 that are the same, if the cache is shared', async () => {
    const { service, lookUp } = await createProcesses(await redisUrl());
    service.respondWith((response, request) => {
      void systemClock.sleep(200).then(() => success(answer)(response, request));
    });
    const results = await lookUp();
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(service.requests).toHaveLength(1);
  });

  it('send one request each after another, if it fails', async () => {
    const { service, lookUp } = await createProcesses(await redisUrl());
    service.respondWith(json(500, { success: false, error: 'down' }));
    const results = await lookUp();
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect(service.requests).toHaveLength(4);
  });

  it('send one request each if the cache is not shared, or away', async () => {
    const { service, lookUp } = await createProcesses(null);
    service.respondWith(success(answer));
    await lookUp();
    expect(service.requests).toHaveLength(4);
    const away = await createProcesses(`redis://127.0.0.1:${await freePort()}`);
    away.service.respondWith(success(answer));
    const results = await away.lookUp();
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(away.service.requests).toHaveLength(4);
  });
});
