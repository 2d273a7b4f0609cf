import { setImmediate as cacheWrite } from 'node:timers/promises';
import { day, hour, minute, second } from '@tallyhook/platform/durations';
import { TallyhookError } from '@tallyhook/platform/errors';
import { Keyv } from 'keyv';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createLookup, type LookupOptions } from '../../src/lookup/client.ts';
import { delayed, failure, success } from '../support/fake-service.ts';
import { lookupErrorOf, lookupFixture } from './lookup-fixture.ts';

let fixture: Awaited<ReturnType<typeof lookupFixture>>;
beforeEach(async () => {
  fixture = await lookupFixture();
  fixture.service.respondWith(success({ name: 'Cats' }));
});
afterEach(() => fixture.service.close());

const named = (name: string) => success({ name });

describe('a profile', () => {
  it('is requested once in five minutes', async () => {
    const { lookup, clock, service, events } = fixture;
    const requestedAt = clock.now();
    await lookup.profile();
    await clock.advance(5 * minute - 1);
    expect(await lookup.profile()).toMatchObject({ value: { name: 'Cats' }, asOf: requestedAt, stale: false });
    expect(service.requests).toHaveLength(1);
    await clock.advance(1);
    service.respondWith(named('Dogs'));
    expect(await lookup.profile()).toMatchObject({ value: { name: 'Dogs' }, asOf: clock.now(), stale: false });
    expect(events).toEqual(['miss', 'asked', 'hit', 'miss', 'asked']);
  });

  it('is requested from the endpoint for the kind of the key', async () => {
    const bot = await lookupFixture({ kind: 'bot' });
    bot.service.respondWith(named('Purr'));
    expect((await bot.lookup.profile()).value).toMatchObject({ kind: 'bot', name: 'Purr' });
    expect(bot.service.requests[0]?.url).toBe('/api/v1/bot');
    await bot.service.close();
  });

  it('is requested once by concurrent lookups', async () => {
    const { lookup, service, events } = fixture;
    const { delayedHandler, release } = delayed(named('Cats'));
    service.respondWith(delayedHandler);
    const all = Promise.all(Array.from({ length: 20 }, () => lookup.profile()));
    await service.received(1);
    release();
    expect((await all).map(({ value }) => value.name)).toEqual(Array.from({ length: 20 }, () => 'Cats'));
    expect(service.requests).toHaveLength(1);
    expect(events.filter((event) => event === 'joined')).toHaveLength(19);
  });

  it('is still cached after a restart', async () => {
    await fixture.lookup.profile();
    await cacheWrite();
    await fixture.restart().profile();
    expect(fixture.service.requests).toHaveLength(1);
  });

  it('is known without a request once it was requested, also when it has expired', async () => {
    const { lookup, clock, service, restart } = fixture;
    expect(await lookup.cached.profile()).toBe(null);
    expect(service.requests).toHaveLength(0);
    await lookup.profile();
    await cacheWrite();
    await clock.advance(day);
    expect(await lookup.cached.profile()).toMatchObject({ name: 'Cats' });
    expect(await restart().cached.profile()).toMatchObject({ name: 'Cats' });
    expect(service.requests).toHaveLength(1);
  });

  it('that is not cached is looked for in the cache once in 30 s, until it was requested', async () => {
    let reads = 0;
    class CountingMap extends Map<string, unknown> {
      override get(key: string): unknown {
        reads += 1;
        return super.get(key);
      }
    }
    const { lookup, clock, service } = await lookupFixture({ cache: new Keyv({ store: new CountingMap() }) });
    onTestFinished(() => service.close());
    service.respondWith(success({ name: 'Cats' }));
    expect([await lookup.cached.profile(), await lookup.cached.profile()]).toEqual([null, null]);
    expect(reads).toBe(1);
    await clock.advance(30 * second);
    expect(await lookup.cached.profile()).toBe(null);
    expect(reads).toBe(2);
    await lookup.profile();
    expect(await lookup.cached.profile()).toMatchObject({ name: 'Cats' });
  });

  it('is cached separately for each key', async () => {
    await fixture.lookup.profile();
    const { baseUrl } = fixture.service;
    await createLookup({
      kind: 'server',
      baseUrl,
      key: 'another',
      cache: fixture.cache,
      clock: fixture.clock,
    }).profile();
    expect(fixture.service.requests).toHaveLength(2);
  });
});

describe('reviews', () => {
  const review = (number: number) => ({ username: `user ${number}`, rating: 5, comment: '', createdAt: null });
  const fifty = Array.from({ length: 50 }, (_, number) => review(number));

  it('are requested once per sort order for every limit', async () => {
    const { lookup, service } = fixture;
    service.respondWith(success(fifty, { total: 345, shown: 50 }));
    const few = await lookup.reviews({ sort: 'newest', limit: 3 });
    expect(few.value).toEqual({ reviews: fifty.slice(0, 3), total: 345, shown: 3 });
    expect((await lookup.reviews({ sort: 'newest', limit: 50 })).value.reviews).toHaveLength(50);
    await lookup.reviews({ sort: 'lowest', limit: 1 });
    expect(service.requests.map(({ url }) => url)).toEqual([
      '/api/v1/reviews?limit=50&sort=newest',
      '/api/v1/reviews?limit=50&sort=lowest',
    ]);
  });

  it.each([
    ['no arguments', undefined],
    ['an empty query', {}],
    ['undefined parameters', { sort: undefined, limit: undefined }],
  ])('default to the ten newest with %s', async (_, query) => {
    const { lookup, service } = fixture;
    service.respondWith(success(fifty, { total: 345, shown: 50 }));
    expect((await lookup.reviews(query)).value).toEqual({ reviews: fifty.slice(0, 10), total: 345, shown: 10 });
    expect(service.requests[0]?.url).toBe('/api/v1/reviews?limit=50&sort=newest');
  });

  it.each([
    { limit: Number.NaN },
    { limit: 1.5 },
    { limit: 0 },
    { limit: 51 },
    { limit: 'ten' as unknown as number },
    { sort: 'oldest' as 'newest' },
  ])('with %j are rejected without a request', async (query) => {
    expect(await lookupErrorOf(fixture.lookup.reviews(query))).toMatchObject({
      code: 'lookup_bad_parameter',
      message: expect.stringMatching(/limit|sort/),
    });
    expect(fixture.service.requests).toHaveLength(0);
  });

  it('are rejected without a request for the key of a bot', async () => {
    const bot = await lookupFixture({ kind: 'bot' });
    const { code, hint } = await lookupErrorOf(bot.lookup.reviews({ sort: 'newest', limit: 3 }));
    expect(code).toBe('lookup_wrong_key_type');
    expect(hint).toContain('kind "server"');
    expect(bot.service.requests).toHaveLength(0);
    await bot.service.close();
  });
});

describe('the required options of a client', () => {
  const validOptions = { kind: 'server', baseUrl: 'https://list.example/api/v1', key: 'the-key' } as const;
  const unsetValues = { undefined: undefined, null: null, 'an empty string': '' };
  const cases = Object.entries(unsetValues).flatMap(([name, value]) =>
    (['kind', 'baseUrl', 'key'] as const).map((option) => [option, name, value] as const),
  );
  const errorOf = (changes: object): unknown => {
    try {
      return createLookup({ ...validOptions, ...changes } as LookupOptions);
    } catch (thrown) {
      return thrown;
    }
  };

  it.each(cases)('reject %s when it is set to %s', (option, _, value) => {
    const thrown = errorOf({ [option]: value });
    expect(thrown).toBeInstanceOf(TallyhookError);
    expect(thrown).toMatchObject({
      code: { kind: 'lookup_kind_missing', baseUrl: 'lookup_base_url_missing', key: 'lookup_key_missing' }[option],
      message: expect.stringContaining(`"${option}"`),
      hint: expect.stringMatching(/^Pass /),
    });
  });

  it.each([
    [{ kind: 'fish' }, 'lookup_kind_unknown'],
    [{ kind: 'toString' }, 'lookup_kind_unknown'],
    [{ baseUrl: 'list.example/api/v1' }, 'lookup_base_url_malformed'],
    [{ baseUrl: 'ftp://list.example/api/v1' }, 'lookup_base_url_malformed'],
    [{ baseUrl: 'https://list.example' }, 'lookup_base_url_malformed'],
    [{ baseUrl: 'https://list.example/api/v1?key=hidden' }, 'lookup_base_url_malformed'],
    [{ baseUrl: 'https://user:hidden@list.example/api/v1' }, 'lookup_base_url_malformed'],
    [{ key: 'two hidden words' }, 'lookup_key_malformed'],
  ])('reject %j', (changes, code) => {
    const thrown = errorOf(changes);
    expect(thrown).toMatchObject({ code, hint: expect.any(String) });
    expect(String(thrown)).not.toContain('hidden');
  });

  it('accept slashes at the end of the base URL', () => {
    expect(errorOf({ baseUrl: 'https://list.example/api/v1//' })).toMatchObject({ kind: 'server' });
  });
});

describe('when the service fails', () => {
  it('the expired cache entry is served with its age', async () => {
    const { lookup, clock, service, events } = fixture;
    const requestedAt = clock.now();
    await lookup.profile();
    await clock.advance(6 * minute);
    service.respondWith(failure(500, 'oh'));
    expect(await lookup.profile()).toMatchObject({ value: { name: 'Cats' }, asOf: requestedAt, stale: true });
    expect(events.slice(2)).toEqual(['miss', 'asked', 'failed', 'stale']);
  });

  it('expired cache entries are served for a week', async () => {
    const { lookup, clock, service } = fixture;
    await lookup.profile();
    service.respondWith(failure(500, 'oh'));
    await clock.advance(7 * 24 * 60 * minute - 1);
    expect((await lookup.profile()).stale).toBe(true);
    await clock.advance(1 + 5 * second);
    expect((await lookupErrorOf(lookup.profile())).code).toBe('lookup_service_error');
  });

  it('the request is not repeated for five seconds, with or without a cache entry', async () => {
    const { lookup, clock, service } = fixture;
    service.respondWith(failure(500, 'oh'));
    const first = await lookupErrorOf(lookup.profile());
    await clock.advance(5 * second - 1);
    expect(await lookupErrorOf(lookup.profile())).toBe(first);
    expect(service.requests).toHaveLength(1);
    await clock.advance(1);
    service.respondWith(named('Cats'));
    expect((await lookup.profile()).stale).toBe(false);
    await clock.advance(5 * minute);
    service.respondWith(failure(500, 'oh'));
    await lookup.profile();
    expect((await lookup.profile()).stale).toBe(true);
    expect(service.requests).toHaveLength(3);
  });
});

describe('when the service is slow', () => {
  it('an expired cache entry is served after 1.5 s, and the late response is cached', async () => {
    const { lookup, clock, service } = fixture;
    await lookup.profile();
    await clock.advance(6 * minute);
    const { delayedHandler, release } = delayed(named('Dogs'));
    service.respondWith(delayedHandler);

    const first = lookup.profile();
    await service.received(2);
    await clock.advance(1.5 * second - 1);
    const joined = lookup.profile();
    expect(await Promise.race([first, Promise.resolve('waiting')])).toBe('waiting');
    await clock.advance(1);
    expect(await first).toMatchObject({ value: { name: 'Cats' }, stale: true });
    expect(await joined).toMatchObject({ value: { name: 'Cats' }, stale: true });

    const delayedLookup = lookup.profile();
    release();
    await expect.poll(() => lookup.profile()).toMatchObject({ value: { name: 'Dogs' }, stale: false });
    await delayedLookup;
    expect(service.requests).toHaveLength(2);
  });

  it('a lookup without a cache entry waits until the timeout', async () => {
    const { lookup, clock, service } = fixture;
    service.respondWith(() => {});
    const error = lookupErrorOf(lookup.profile());
    await service.received(1);
    await clock.advance(5 * second);
    expect((await error).code).toBe('lookup_timeout');
  });
});

describe('when the key is refused', () => {
  it('an error with a hint is logged once, and no request is sent for a minute', async () => {
    const { lookup, clock, service, logged } = fixture;
    service.respondWith(failure(401, 'unknown key the-key'));
    expect((await lookupErrorOf(lookup.profile())).code).toBe('lookup_key_refused');
    expect((await lookupErrorOf(lookup.voteStatus('1'))).code).toBe('lookup_key_refused');
    await clock.advance(minute - 1);
    await lookupErrorOf(lookup.reviews({ sort: 'newest', limit: 1 }));
    expect(service.requests).toHaveLength(1);
    expect(logged).toEqual([
      expect.objectContaining({ level: 50, code: 'lookup_key_refused', hint: expect.stringContaining('dashboard') }),
    ]);
    expect(JSON.stringify(logged)).not.toContain('the-key');
    await clock.advance(1);
    service.respondWith(named('Cats'));
    expect((await lookup.profile()).stale).toBe(false);
  });

  it('it is logged again only when it is resolved', async () => {
    const { lookup, clock, service, logged } = fixture;
    service.respondWith(failure(401, 'no'));
    for (let minutes = 0; minutes < 10; minutes += 1) {
      await lookupErrorOf(lookup.voteStatus(String(minutes)));
      await clock.advance(minute);
    }
    expect(service.requests).toHaveLength(10);
    expect(logged.map(({ level }) => level)).toEqual([50]);
    expect(await lookup.keyStatus()).toMatchObject({ keyRefused: true });

    service.respondWith(named('Cats'));
    await lookup.profile();
    expect(logged.map(({ level }) => level)).toEqual([50, 30]);
    expect(await lookup.keyStatus()).toMatchObject({ keyRefused: false });
    await clock.advance(6 * minute);
    service.respondWith(failure(401, 'no'));
    await lookup.profile();
    expect(logged.map(({ level }) => level)).toEqual([50, 30, 50]);
  });
});

describe('when a response does not match the document', () => {
  it('the field is logged once until a response matches again', async () => {
    const { lookup, clock, service, logged } = fixture;
    service.respondWith(success({ canVote: 'yes' }));
    for (let minutes = 0; minutes < 5; minutes += 1) {
      expect((await lookupErrorOf(lookup.voteStatus(String(minutes)))).code).toBe('lookup_wrong_shape');
      await clock.advance(minute);
    }
    expect(logged).toEqual([
      expect.objectContaining({
        level: 50,
        code: 'lookup_wrong_shape',
        msg: expect.stringContaining('canVote'),
        hint: expect.stringContaining('newer version'),
      }),
    ]);
    expect(await lookup.keyStatus()).toMatchObject({ wrongShape: true, keyRefused: false });
    service.respondWith(success({ canVote: true }));
    await lookup.voteStatus('1');
    expect(await lookup.keyStatus()).toMatchObject({ wrongShape: false });
  });

  it('each resource is logged', async () => {
    const { lookup, clock, service, logged } = fixture;
    service.respondWith(success({ canVote: 'yes' }));
    await lookupErrorOf(lookup.voteStatus('1'));
    await lookupErrorOf(lookup.reviews({ sort: 'newest', limit: 5 }));
    expect(logged).toEqual([expect.objectContaining({ resource: 'votes' })]);
    await clock.advance(minute);
    await lookupErrorOf(lookup.reviews({ sort: 'newest', limit: 5 }));
    expect(logged.slice(1)).toEqual([expect.objectContaining({ resource: 'reviews' })]);
  });
});

describe('the budget', () => {
  it('rejects the 121st request with the time of the next one; cache entries are still served', async () => {
    const { lookup, clock, service } = fixture;
    await lookup.profile();
    await clock.advance(6 * minute);
    service.respondWith(success({ canVote: true }));
    for (let user = 0; user < 120; user++) await lookup.voteStatus(String(user));
    const error = await lookupErrorOf(lookup.voteStatus('999'));
    expect(error).toMatchObject({ code: 'lookup_over_budget', retryAt: clock.now() + 66 * second });
    expect((await lookup.profile()).stale).toBe(true);
    expect(service.requests).toHaveLength(121);
    await clock.advance(66 * second);
    expect((await lookup.voteStatus('999')).stale).toBe(false);
  });

  it('reports the remaining requests', async () => {
    const { lookup, clock, service } = fixture;
    service.respondWith(success({ canVote: true }));
    for (let user = 0; user < 20; user++) await lookup.voteStatus(String(user));
    expect(await lookup.keyStatus()).toMatchObject({ budgetLeft: 100 });
    await clock.advance(2 * minute);
    expect(await lookup.keyStatus()).toMatchObject({ budgetLeft: 120 });
    service.respondWith(failure(429, 'slow down', { 'Retry-After': '20' }));
    await lookupErrorOf(lookup.profile());
    expect(await lookup.keyStatus()).toMatchObject({ budgetLeft: 0 });
  });
});

describe('the log', () => {
  it('has each error code at most once a minute', async () => {
    const { lookup, clock, service, logged } = fixture;
    service.respondWith(failure(500, 'oh'));
    for (let user = 0; user < 30; user++) await lookupErrorOf(lookup.voteStatus(String(user)));
    expect(logged).toEqual([expect.objectContaining({ level: 40, code: 'lookup_service_error' })]);
    await clock.advance(minute);
    await lookupErrorOf(lookup.voteStatus('1'));
    expect(logged).toHaveLength(2);
  });
});

describe('the cache', () => {
  it('ignores entries that no longer match the schema', async () => {
    const { lookup, restart, service, cache } = fixture;
    await lookup.profile();
    await cacheWrite();
    const entries: [string, object][] = [];
    for await (const entry of cache.iterator()) entries.push(entry);
    for (const [key, entry] of entries) await cache.set(key, { ...entry, value: { kind: 'server', title: 'Cats' } });
    expect(entries).toHaveLength(1);
    await restart().profile();
    expect(service.requests).toHaveLength(2);
  });

  it('is read again when the entry in memory has expired, for an update of another process', async () => {
    const { lookup, restart, clock, service } = fixture;
    await lookup.profile();
    await cacheWrite();
    await clock.advance(5 * minute);
    service.respondWith(named('Dogs'));
    await restart().profile();
    await cacheWrite();
    expect(await lookup.profile()).toMatchObject({ value: { name: 'Dogs' }, asOf: clock.now(), stale: false });
    expect(service.requests).toHaveLength(2);
  });

  it('ignores entries from the future, written while the clock was wrong', async () => {
    const { lookup, clock, service } = fixture;
    await lookup.profile();
    await cacheWrite();
    clock.shiftWallClock(-hour);
    await lookup.profile();
    expect(service.requests).toHaveLength(2);
  });

  it('may fail without failing lookups', async () => {
    const { lookup, restart, service, cache, logged } = fixture;
    cache.store = Object.assign(new Map(), {
      get: () => {
        throw new Error('broken');
      },
      set: () => {
        throw new Error('broken');
      },
    });
    expect((await lookup.profile()).value.name).toBe('Cats');
    await cacheWrite();
    expect(service.requests).toHaveLength(1);
    expect(logged).toEqual([expect.objectContaining({ level: 40, code: 'cache_failed' })]);
    expect((await restart().profile()).value.name).toBe('Cats');
    expect(service.requests).toHaveLength(2);
  });

  it('has a timeout', async () => {
    const { lookup, clock, cache, service } = fixture;
    cache.get = () => new Promise(() => {});
    const profile = lookup.profile();
    await clock.advance(second / 2);
    expect((await profile).value.name).toBe('Cats');
    expect(service.requests).toHaveLength(1);
  });
});
