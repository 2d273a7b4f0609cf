import { eventually } from '@tallyhook/platform/testing/eventually';
import { isSkipped } from '@tallyhook/platform/testing/optional-programs';
import { freePort } from '@tallyhook/platform/testing/postgres';
import { isRedisInstalled, startRedis } from '@tallyhook/platform/testing/redis';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, test } from 'vitest';
import { ask, type Running, running } from '../testing/running.ts';

test.skipIf(isSkipped(isRedisInstalled))(
  'with Redis, services share the limit of a key; while it is away, lookups get 503 and the service is not ready',
  async () => {
    const [port, directory] = [await freePort(), tempDir()];
    const redis = await startRedis(port, directory);
    const options = { redis: `redis://127.0.0.1:${port}`, operationsPort: 0 };
    const one = await running(options);
    const other = await running({ ...options, database: one.database });
    const send = async ({ get }: Running) => (await get('/votes/1', { 'X-API-Key': one.keys.server })).status;
    const isReady = async () => (await ask(`${one.service.operationsUrl}/readyz`)).status;

    const statuses = await Promise.all(Array.from({ length: 150 }, (_, turn) => send(turn % 2 === 0 ? one : other)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(120);
    expect(await send(one)).toBe(429);
    expect(await isReady()).toBe(200);

    await redis.stop();
    await eventually(async () => expect(await isReady()).toBe(503));
    const unlimited = async () => (await one.get('/votes/1', { 'X-API-Key': one.keys.bot })).status;
    expect(await unlimited()).toBe(503);
    const again = await startRedis(port, directory);
    await eventually(async () => expect(await unlimited()).toBe(200));
    await again.stop();
  },
);
