import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@tallyhook/platform/testing/postgres';
import { isRedisInstalled, startRedis } from '@tallyhook/platform/testing/redis';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { memoryKeyv } from '../../src/lookup/memory-keyv.ts';
import { openKeyv } from '../../src/lookup/open-keyv.ts';
import { success } from '../support/fake-service.ts';
import { lookupFixture } from './lookup-fixture.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tallyhook-cache-'));
});
afterEach(() => rm(directory, { recursive: true }));

describe('a cache in a file', () => {
  it('creates its directory and keeps its entries after a restart', async () => {
    const url = `sqlite:${join(directory, 'new', 'folder', 'cache.db')}`;
    const before = await openKeyv(url);
    await before.set('a', { b: 1 });
    await before.disconnect();
    const after = await openKeyv(url);
    expect(await after.get('a')).toEqual({ b: 1 });
    await after.disconnect();
  });

  it('falls back to memory if it is damaged, and reports it', async () => {
    const path = join(directory, 'cache.db');
    await writeFile(path, 'this is not a database, but long enough to look like a damaged one. '.repeat(100));
    const onFallback = vi.fn();
    const keyv = await openKeyv(`sqlite:${path}`, onFallback);
    expect(onFallback).toHaveBeenCalledTimes(1);
    await keyv.set('a', 1);
    expect(await keyv.get('a')).toBe(1);
    await keyv.disconnect();
  });
});

describe('an invalid URL of Redis', () => {
  it.each(['redis://bad host:xx', 'redis://me:100%sure@host:6379'])(
    'is reported without its password: %s',
    async (url) => {
      const error = await openKeyv(url).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'cache_url_unknown', hint: expect.stringContaining('percent-encoded') });
      expect(String(error)).not.toContain('100');
    },
  );
});

describe('a cache in memory', () => {
  it('deletes the oldest entries first', async () => {
    const keyv = memoryKeyv(2);
    await keyv.set('a', 1);
    await keyv.set('b', 2);
    await keyv.set('a', 3);
    await keyv.set('c', 4);
    expect(await keyv.get(['a', 'b', 'c'])).toEqual([3, undefined, 4]);
  });
});

describe('a cache in Redis', () => {
  it.skipIf(!isRedisInstalled)('is shared, does not fail lookups while it is down, and reconnects', async () => {
    const port = await freePort();
    const url = `redis://127.0.0.1:${port}`;
    let server = await startRedis(port);
    const [one, other] = [await openKeyv(url), await openKeyv(url)];
    await one.set('a', 1);
    expect(await other.get('a')).toBe(1);
    await server.stop();

    const { service, lookup, logged } = await lookupFixture({ cache: one });
    service.respondWith(success({ name: 'Cats' }));
    expect((await lookup.profile()).value.name).toBe('Cats');
    expect(logged).toEqual([expect.objectContaining({ code: 'cache_failed' })]);
    await service.close();

    server = await startRedis(port);
    await expect.poll(() => one.set('a', 2), { timeout: 10_000 }).toBe(true);
    expect(await one.get('a')).toBe(2);
    await one.disconnect();
    await other.disconnect();
    await server.stop();
  });

  it('that is unavailable delays neither the start nor a lookup', async () => {
    const cache = await openKeyv(`redis://127.0.0.1:${await freePort()}`);
    const { service, lookup } = await lookupFixture({ cache });
    service.respondWith(success({ name: 'Cats' }));
    expect((await lookup.profile()).value.name).toBe('Cats');
    await cache.disconnect();
    await service.close();
  });
});

it('a URL of another scheme is rejected without repeating it: it may contain a password', async () => {
  await expect(openKeyv('mongodb://user:secret@host')).rejects.toMatchObject({
    code: 'cache_url_unknown',
    message: 'The URL of the cache has the unknown scheme "mongodb:".',
  });
});
