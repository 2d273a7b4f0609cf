import { setImmediate as theShelf } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLookup, type LookupOptions } from '../../src/lookup/client.ts';
import { hour, minute, second } from '../../src/platform/durations.ts';
import { TallyhookError } from '../../src/platform/errors.ts';
import { asking, failureOf } from './asking.ts';
import { failure, held, success } from './pretend-service.ts';

let at: Awaited<ReturnType<typeof asking>>;
beforeEach(async () => {
  at = await asking();
  at.service.answer(success({ name: 'Cats' }));
});
afterEach(() => at.service.close());

const named = (name: string) => success({ name });

describe('a profile', () => {
  it('is asked for once in five minutes', async () => {
    const { lookup, clock, service, seen } = at;
    const said = clock.now();
    await lookup.profile();
    await clock.advance(5 * minute - 1);
    expect(await lookup.profile()).toMatchObject({ value: { name: 'Cats' }, asOf: said, stale: false });
    expect(service.asked).toHaveLength(1);
    await clock.advance(1);
    service.answer(named('Dogs'));
    expect(await lookup.profile()).toMatchObject({ value: { name: 'Dogs' }, asOf: clock.now(), stale: false });
    expect(seen).toEqual(['miss', 'asked', 'hit', 'miss', 'asked']);
  });

  it('is asked of the endpoint that the key serves', async () => {
    const bot = await asking({ kind: 'bot' });
    bot.service.answer(named('Purr'));
    expect((await bot.lookup.profile()).value).toMatchObject({ kind: 'bot', name: 'Purr' });
    expect(bot.service.asked[0]?.url).toBe('/api/v1/bot');
    await bot.service.close();
  });

  it('is asked for once by all who want it at the same time', async () => {
    const { lookup, service, seen } = at;
    const { answering, release } = held(named('Cats'));
    service.answer(answering);
    const all = Promise.all(Array.from({ length: 20 }, () => lookup.profile()));
    await service.arrived(1);
    release();
    expect((await all).map(({ value }) => value.name)).toEqual(Array.from({ length: 20 }, () => 'Cats'));
    expect(service.asked).toHaveLength(1);
    expect(seen.filter((event) => event === 'joined')).toHaveLength(19);
  });

  it('is known after a restart when the cache is', async () => {
    await at.lookup.profile();
    await theShelf();
    await at.again().profile();
    expect(at.service.asked).toHaveLength(1);
  });

  it('is not mixed up with that of another key in the same cache', async () => {
    await at.lookup.profile();
    const { baseUrl } = at.service;
    await createLookup({ kind: 'server', baseUrl, key: 'another', cache: at.cache, clock: at.clock }).profile();
    expect(at.service.asked).toHaveLength(2);
  });

  it('comes with nothing configured but the key and the address', async () => {
    const lookup = createLookup({ kind: 'server', baseUrl: at.service.baseUrl, key: 'the-key' });
    await lookup.profile();
    expect((await lookup.profile()).value.name).toBe('Cats');
    expect(at.service.asked).toHaveLength(1);
  });
});

describe('reviews', () => {
  const review = (number: number) => ({ username: `user ${number}`, rating: 5, comment: '', createdAt: null });
  const fifty = Array.from({ length: 50 }, (_, number) => review(number));

  it('are asked for once per order, and serve every limit', async () => {
    const { lookup, service } = at;
    service.answer(success(fifty, { total: 345, shown: 50 }));
    const few = await lookup.reviews({ sort: 'newest', limit: 3 });
    expect(few.value).toEqual({ reviews: fifty.slice(0, 3), total: 345, shown: 3 });
    expect((await lookup.reviews({ sort: 'newest', limit: 500 })).value.reviews).toHaveLength(50);
    await lookup.reviews({ sort: 'lowest', limit: 1 });
    expect(service.asked.map(({ url }) => url)).toEqual([
      '/api/v1/reviews?limit=50&sort=newest',
      '/api/v1/reviews?limit=50&sort=lowest',
    ]);
  });

  it.each([
    ['no arguments', undefined],
    ['an empty query', {}],
    ['undefined parameters', { sort: undefined, limit: undefined }],
  ])('with %s are the ten newest', async (_, query) => {
    const { lookup, service } = at;
    service.answer(success(fifty, { total: 345, shown: 50 }));
    expect((await lookup.reviews(query)).value).toEqual({ reviews: fifty.slice(0, 10), total: 345, shown: 10 });
    expect(service.asked[0]?.url).toBe('/api/v1/reviews?limit=50&sort=newest');
  });

  it('with one parameter have the default of the other', async () => {
    const { lookup, service } = at;
    service.answer(success(fifty, { total: 50, shown: 50 }));
    expect((await lookup.reviews({ limit: 2 })).value.shown).toBe(2);
    expect((await lookup.reviews({ sort: 'highest' })).value.shown).toBe(10);
    expect(service.asked.map(({ url }) => url)).toEqual([
      '/api/v1/reviews?limit=50&sort=newest',
      '/api/v1/reviews?limit=50&sort=highest',
    ]);
  });

  it('show fewer than the limit where there are no more', async () => {
    at.service.answer(success(fifty.slice(0, 4), { total: 4, shown: 4 }));
    expect((await at.lookup.reviews()).value).toMatchObject({ total: 4, shown: 4 });
  });

  it.each([
    { limit: Number.NaN },
    { limit: 1.5 },
    { limit: 'ten' as unknown as number },
    { sort: 'oldest' as 'newest' },
  ])('with %j are refused by name, without asking', async (query) => {
    expect(await failureOf(at.lookup.reviews(query))).toMatchObject({
      code: 'lookup_bad_parameter',
      message: expect.stringMatching(/limit|sort/),
    });
    expect(at.service.asked).toHaveLength(0);
  });

  it('are not even asked for with the key of a bot', async () => {
    const bot = await asking({ kind: 'bot' });
    const { code, hint: cure } = await failureOf(bot.lookup.reviews({ sort: 'newest', limit: 3 }));
    expect(code).toBe('lookup_wrong_key_type');
    expect(cure).toContain('kind "server"');
    expect(bot.service.asked).toHaveLength(0);
    await bot.service.close();
  });
});

describe('what a client cannot do without', () => {
  const whole = { kind: 'server', baseUrl: 'https://list.example/api/v1', key: 'the-key' } as const;
  const unset = { undefined: undefined, null: null, 'an empty string': '' };
  const cases = Object.entries(unset).flatMap(([name, value]) =>
    (['kind', 'baseUrl', 'key'] as const).map((option) => [option, name, value] as const),
  );
  const errorOf = (changes: object): unknown => {
    try {
      return createLookup({ ...whole, ...changes } as LookupOptions);
    } catch (thrown) {
      return thrown;
    }
  };

  it.each(cases)('is the option %s, which %s does not set', (option, _, value) => {
    const thrown = errorOf({ [option]: value });
    expect(thrown).toBeInstanceOf(TallyhookError);
    expect(thrown).toMatchObject({
      code: { kind: 'lookup_kind_missing', baseUrl: 'lookup_base_url_missing', key: 'lookup_key_missing' }[option],
      message: expect.stringContaining(`"${option}"`),
      cure: expect.stringMatching(/^Pass /),
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
  ])('is refused by name when it is %j', (changes, code) => {
    const thrown = errorOf(changes);
    expect(thrown).toMatchObject({ code, cure: expect.any(String) });
    expect(String(thrown)).not.toContain('hidden');
  });

  it('may have slashes at the end of its address', () => {
    expect(errorOf({ baseUrl: 'https://list.example/api/v1//' })).toMatchObject({ kind: 'server' });
  });
});

describe('when the service fails', () => {
  it('what was known is served, with its age', async () => {
    const { lookup, clock, service, seen } = at;
    const said = clock.now();
    await lookup.profile();
    await clock.advance(6 * minute);
    service.answer(failure(500, 'oh'));
    expect(await lookup.profile()).toMatchObject({ value: { name: 'Cats' }, asOf: said, stale: true });
    expect(seen.slice(2)).toEqual(['miss', 'asked', 'failed', 'stale']);
  });

  it('what was known is served for a week and not for ever', async () => {
    const { lookup, clock, service } = at;
    await lookup.profile();
    service.answer(failure(500, 'oh'));
    await clock.advance(7 * 24 * 60 * minute - 1);
    expect((await lookup.profile()).stale).toBe(true);
    await clock.advance(1 + 5 * second);
    expect((await failureOf(lookup.profile())).code).toBe('lookup_service_error');
  });

  it('it is left alone for five seconds, with and without something known', async () => {
    const { lookup, clock, service } = at;
    service.answer(failure(500, 'oh'));
    const first = await failureOf(lookup.profile());
    await clock.advance(5 * second - 1);
    expect(await failureOf(lookup.profile())).toBe(first);
    expect(service.asked).toHaveLength(1);
    await clock.advance(1);
    service.answer(named('Cats'));
    expect((await lookup.profile()).stale).toBe(false);
    await clock.advance(5 * minute);
    service.answer(failure(500, 'oh'));
    await lookup.profile();
    expect((await lookup.profile()).stale).toBe(true);
    expect(service.asked).toHaveLength(3);
  });

  it('with one question, another may still be asked', async () => {
    const { lookup, service } = at;
    service.answer(failure(500, 'oh'));
    await failureOf(lookup.voteStatus('1'));
    service.answer(success({ canVote: true }));
    expect((await lookup.voteStatus('2')).value.canVote).toBe(true);
  });

  it('with a shape that is not documented, that is a failure like any other', async () => {
    const { lookup, service } = at;
    service.answer(success({ title: 'Cats' }));
    const failed = await failureOf(lookup.profile());
    expect(failed).toMatchObject({ code: 'lookup_wrong_shape', message: expect.stringContaining('name') });
  });
});

describe('when the service is slow', () => {
  it('what is known is served after a second and a half, and the answer is there for the next one', async () => {
    const { lookup, clock, service } = at;
    await lookup.profile();
    await clock.advance(6 * minute);
    const { answering, release } = held(named('Dogs'));
    service.answer(answering);

    const first = lookup.profile();
    await service.arrived(2);
    await clock.advance(1.5 * second - 1);
    const joined = lookup.profile();
    expect(await Promise.race([first, Promise.resolve('waiting')])).toBe('waiting');
    await clock.advance(1);
    expect(await first).toMatchObject({ value: { name: 'Cats' }, stale: true });
    expect(await joined).toMatchObject({ value: { name: 'Cats' }, stale: true });

    const late = lookup.profile();
    release();
    await expect.poll(() => lookup.profile()).toMatchObject({ value: { name: 'Dogs' }, stale: false });
    await late;
    expect(service.asked).toHaveLength(2);
  });

  it('and nothing is known, the answer is waited for until the time is up', async () => {
    const { lookup, clock, service } = at;
    service.answer(() => {});
    const failed = failureOf(lookup.profile());
    await service.arrived(1);
    await clock.advance(5 * second);
    expect((await failed).code).toBe('lookup_timeout');
  });
});

describe('when the key is refused', () => {
  it('the owner is told once, loudly and with the cure, and nothing is asked for a minute', async () => {
    const { lookup, clock, service, told } = at;
    service.answer(failure(401, 'unknown key the-key'));
    expect((await failureOf(lookup.profile())).code).toBe('lookup_key_refused');
    expect((await failureOf(lookup.voteStatus('1'))).code).toBe('lookup_key_refused');
    await clock.advance(minute - 1);
    await failureOf(lookup.reviews({ sort: 'newest', limit: 1 }));
    expect(service.asked).toHaveLength(1);
    expect(told).toEqual([
      expect.objectContaining({ level: 50, code: 'lookup_key_refused', cure: expect.stringContaining('dashboard') }),
    ]);
    expect(JSON.stringify(told)).not.toContain('the-key');
    await clock.advance(1);
    service.answer(named('Cats'));
    expect((await lookup.profile()).stale).toBe(false);
  });

  it('the owner hears of it again only when it is over', async () => {
    const { lookup, clock, service, told } = at;
    service.answer(failure(401, 'no'));
    for (let minutes = 0; minutes < 10; minutes += 1) {
      await failureOf(lookup.voteStatus(String(minutes)));
      await clock.advance(minute);
    }
    expect(service.asked).toHaveLength(10);
    expect(told.map(({ level }) => level)).toEqual([50]);
    expect(await lookup.keyStatus()).toMatchObject({ keyRefused: true });

    service.answer(named('Cats'));
    await lookup.profile();
    expect(told.map(({ level }) => level)).toEqual([50, 30]);
    expect(await lookup.keyStatus()).toMatchObject({ keyRefused: false });
    await clock.advance(6 * minute);
    service.answer(failure(401, 'no'));
    await lookup.profile();
    expect(told.map(({ level }) => level)).toEqual([50, 30, 50]);
  });
});

describe('when the service changes', () => {
  it('the owner is told once which field it is, until it is as it was', async () => {
    const { lookup, clock, service, told } = at;
    service.answer(success({ canVote: 'yes' }));
    for (let minutes = 0; minutes < 5; minutes += 1) {
      expect((await failureOf(lookup.voteStatus(String(minutes)))).code).toBe('lookup_wrong_shape');
      await clock.advance(minute);
    }
    expect(told).toEqual([
      expect.objectContaining({
        level: 50,
        code: 'lookup_wrong_shape',
        msg: expect.stringContaining('canVote'),
        cure: expect.stringContaining('newer version'),
      }),
    ]);
    expect(await lookup.keyStatus()).toMatchObject({ wrongShape: true, keyRefused: false });
    service.answer(success({ canVote: true }));
    await lookup.voteStatus('1');
    expect(await lookup.keyStatus()).toMatchObject({ wrongShape: false });
  });

  it('in two places at once, the owner is told of both', async () => {
    const { lookup, clock, service, told } = at;
    service.answer(success({ canVote: 'yes' }));
    await failureOf(lookup.voteStatus('1'));
    await failureOf(lookup.reviews({ sort: 'newest', limit: 5 }));
    expect(told).toEqual([expect.objectContaining({ resource: 'votes' })]);
    await clock.advance(minute);
    await failureOf(lookup.reviews({ sort: 'newest', limit: 5 }));
    expect(told.slice(1)).toEqual([expect.objectContaining({ resource: 'reviews' })]);
  });
});

describe('the budget', () => {
  it('refuses the 121st request and says when to come back; what is known is served meanwhile', async () => {
    const { lookup, clock, service } = at;
    await lookup.profile();
    await clock.advance(6 * minute);
    service.answer(success({ canVote: true }));
    for (let user = 0; user < 120; user++) await lookup.voteStatus(String(user));
    const refused = await failureOf(lookup.voteStatus('999'));
    expect(refused).toMatchObject({ code: 'lookup_over_budget', retryAt: clock.now() + 66 * second });
    expect((await lookup.profile()).stale).toBe(true);
    expect(service.asked).toHaveLength(121);
    await clock.advance(66 * second);
    expect((await lookup.voteStatus('999')).stale).toBe(false);
  });

  it('tells how much of it is left', async () => {
    const { lookup, clock, service } = at;
    service.answer(success({ canVote: true }));
    for (let user = 0; user < 20; user++) await lookup.voteStatus(String(user));
    expect(await lookup.keyStatus()).toMatchObject({ budgetLeft: 100 });
    await clock.advance(2 * minute);
    expect(await lookup.keyStatus()).toMatchObject({ budgetLeft: 120 });
    service.answer(failure(429, 'slow down', { 'Retry-After': '20' }));
    await failureOf(lookup.profile());
    expect(await lookup.keyStatus()).toMatchObject({ budgetLeft: 0 });
  });

  it('is closed for as long as the service says with 429', async () => {
    const { lookup, clock, service } = at;
    service.answer(failure(429, 'slow down', { 'Retry-After': '20' }));
    const until = clock.now() + 20 * second;
    expect(await failureOf(lookup.profile())).toMatchObject({ code: 'lookup_rate_limited', retryAt: until });
    await clock.advance(20 * second - 1);
    expect(await failureOf(lookup.voteStatus('1'))).toMatchObject({ code: 'lookup_over_budget', retryAt: until });
    expect(service.asked).toHaveLength(1);
    await clock.advance(1);
    service.answer(success({ canVote: true }));
    await lookup.voteStatus('1');
  });
});

describe('the log', () => {
  it('hears of one kind of fault once a minute', async () => {
    const { lookup, clock, service, told } = at;
    service.answer(failure(500, 'oh'));
    for (let user = 0; user < 30; user++) await failureOf(lookup.voteStatus(String(user)));
    expect(told).toEqual([expect.objectContaining({ level: 40, code: 'lookup_service_error' })]);
    await clock.advance(minute);
    await failureOf(lookup.voteStatus('1'));
    expect(told).toHaveLength(2);
  });
});

describe('the cache', () => {
  it('is believed only where its entries still have the right shape', async () => {
    const { lookup, again, service, cache } = at;
    await lookup.profile();
    await theShelf();
    const kept: [string, object][] = [];
    for await (const entry of cache.iterator()) kept.push(entry);
    for (const [key, entry] of kept) await cache.set(key, { ...entry, value: { kind: 'server', title: 'Cats' } });
    expect(kept).toHaveLength(1);
    await again().profile();
    expect(service.asked).toHaveLength(2);
  });

  it('is not looked at while an answer that was read before is fresh', async () => {
    const { lookup, clock, cache, service, seen } = at;
    const get = vi.spyOn(cache, 'get');
    await lookup.profile();
    await clock.advance(5 * minute - 1);
    await lookup.profile();
    expect(get).toHaveBeenCalledTimes(1);
    expect(seen).toEqual(['miss', 'asked', 'hit']);
    expect(service.asked).toHaveLength(1);
  });

  it('is looked at again when it is not, for another process may have asked meanwhile', async () => {
    const { lookup, again, clock, service } = at;
    await lookup.profile();
    await theShelf();
    await clock.advance(5 * minute);
    service.answer(named('Dogs'));
    await again().profile();
    await theShelf();
    expect(await lookup.profile()).toMatchObject({ value: { name: 'Dogs' }, asOf: clock.now(), stale: false });
    expect(service.asked).toHaveLength(2);
  });

  it('and what was read from it are not believed when they are from the future, where the clock was set wrong', async () => {
    const { lookup, clock, service } = at;
    await lookup.profile();
    await theShelf();
    clock.set(-hour);
    await lookup.profile();
    expect(service.asked).toHaveLength(2);
  });

  it('may break without anybody who asks noticing', async () => {
    const { lookup, again, service, cache, told } = at;
    cache.store = Object.assign(new Map(), {
      get: () => {
        throw new Error('broken');
      },
      set: () => {
        throw new Error('broken');
      },
    });
    expect((await lookup.profile()).value.name).toBe('Cats');
    await theShelf();
    expect(service.asked).toHaveLength(1);
    expect(told).toEqual([expect.objectContaining({ level: 40, code: 'cache_failed' })]);
    expect((await again().profile()).value.name).toBe('Cats');
    expect(service.asked).toHaveLength(2);
  });

  it('that never answers is not waited for', async () => {
    const { lookup, clock, cache, service } = at;
    cache.get = () => new Promise(() => {});
    const profile = lookup.profile();
    await clock.advance(second / 2);
    expect((await profile).value.name).toBe('Cats');
    expect(service.asked).toHaveLength(1);
  });
});
