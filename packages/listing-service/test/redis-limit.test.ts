import { createClient } from '@keyv/redis';
import type { Clock } from '@tallyhook/platform/clock';
import { StoreUnavailableError } from '@tallyhook/platform/errors';
import { createLog } from '@tallyhook/platform/log';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { isSkipped } from '@tallyhook/platform/testing/optional-programs';
import { freePort } from '@tallyhook/platform/testing/postgres';
import { isRedisInstalled, startRedis } from '@tallyhook/platform/testing/redis';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, test } from 'vitest';
import { createRateLimiter } from '../src/rate-limit/rate-limiter.ts';
import { openRedisReservations } from '../src/rate-limit/redis/redis-reservations.ts';
import { countedLongAgo } from './limit-stores.ts';

const rules = { limit: 7, windowMs: 3_000, maxBlock: 4, blockMs: 700 };

test.skipIf(isSkipped(isRedisInstalled))(
  'after Redis was restarted with an older snapshot, no request is answered until all before have left the window',
  async () => {
    const [port, directory] = [await freePort(), tempDir()];
    const url = `redis://127.0.0.1:${port}`;
    const log = createLog({ level: 'silent', secrets: [] });
    const clock = manualClock();
    const open = (clock: Clock) =>
      openRedisReservations({ url, namespace: 'test', clock, rules, log, sharedTime: clock.now });
    const before = await startRedis(port, directory);
    await countedLongAgo(open);
    const client = createClient({ url });
    await client.connect();
    await client.sendCommand(['SAVE']);
    client.destroy();
    const start = async () => createRateLimiter({ reservations: await open(clock), clock, log }, rules);
    const [one, other] = [await start(), await start()];
    for (let sent = 0; sent < rules.limit; sent += 1) expect((await one.count(1)).isAllowed).toBe(true);

    await before.stop();
    await expect(Promise.resolve(other.count(1))).rejects.toThrow(StoreUnavailableError);
    const after = await startRedis(port, directory);
    const isAllowed = () =>
      eventually(async () => {
        const { isAllowed } = await other.count(1);
        return isAllowed;
      });
    expect(await isAllowed()).toBe(false);
    await clock.advance(rules.windowMs);
    expect(await isAllowed()).toBe(false);
    await clock.advance(rules.blockMs);
    expect(await isAllowed()).toBe(true);
    await one.stop();
    await other.stop();
    await after.stop();
  },
);
