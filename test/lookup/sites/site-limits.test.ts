import { setImmediate as logWrite } from 'node:timers/promises';
import { hour, minute, second } from '@tallyhook/platform/durations';
import { describe, expect, it } from 'vitest';
import { json } from '../../support/fake-service.ts';
import { member, siteFixture } from '../../support/site-fixture.ts';
import { lookupErrorOf } from '../lookup-fixture.ts';

const users = (count: number) =>
  Array.from({ length: count }, (_, index) => String(100_000_000_000_000_000n + BigInt(index)));

describe('the requests of all processes to a site', () => {
  it.each([
    ['topgg', json(404, {}), 60, minute],
    ['discordplace', json(200, { voted: false, lastVote: null }), 100, 5 * minute],
    ['voidbots', json(200, { voted: false }), 30, minute],
  ] as const)('%s stay within its limit', async (site, response, limit, periodMs) => {
    const { service, clock, restart } = await siteFixture({ site });
    service.respondWith(response);
    const processes = [restart(), restart(), restart()] as const;
    const checkAll = (members: readonly string[]) =>
      Promise.allSettled(members.map((each, index) => (processes[index % 3] ?? processes[0]).check(each)));
    const results = await checkAll(users(2 * limit));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(limit);
    expect(service.requests).toHaveLength(limit);
    await clock.advance(periodMs);
    await checkAll(users(2 * limit));
    expect(service.requests).toHaveLength(limit);
    await clock.advance(6 * second);
    await checkAll(users(2 * limit));
    expect(service.requests).toHaveLength(2 * limit);
  });

  it('to a public API are counted together', async () => {
    const { service, restart, options } = await siteFixture({ site: 'infinity', key: null });
    service.respondWith(json(200, { has_voted: false, vote_info: { vote_time: 12 } }));
    await Promise.allSettled(users(40).map((each) => restart(options).check(each)));
    expect(service.requests).toHaveLength(30);
  });
});

describe('after a 429, top.gg', () => {
  it.each([
    ['header', json(429, {}, { 'Retry-After': '3600' })],
    ['body', json(429, { 'retry-after': 3_600 })],
    ['nothing', json(429, {})],
  ])('is not asked for an hour by any process, by what its %s says', async (_, response) => {
    const { service, client, clock, restart } = await siteFixture({ site: 'topgg' });
    service.respondWith(response);
    const error = await lookupErrorOf(client.check(member));
    expect(error).toMatchObject({ code: 'lookup_rate_limited', retryAt: clock.now() + hour });
    await logWrite();
    service.respondWith(json(404, {}));
    for (const elapsedMs of [0, 30 * minute, 30 * minute - 1]) {
      await clock.advance(elapsedMs);
      for (const each of [client, restart()])
        expect((await lookupErrorOf(each.check(member))).code).toBe('lookup_over_budget');
    }
    expect(service.requests).toHaveLength(1);
    await clock.advance(1);
    await client.check(member);
    await restart().check('1');
    expect(service.requests).toHaveLength(3);
  });

  it('is not asked as long as it says, if that is shorter', async () => {
    const { service, client, clock, restart } = await siteFixture({ site: 'topgg' });
    service.respondWith(json(429, { 'retry-after': 90 }));
    await lookupErrorOf(client.check(member));
    await logWrite();
    service.respondWith(json(404, {}));
    await clock.advance(90 * second - 1);
    expect((await lookupErrorOf(restart().check(member))).code).toBe('lookup_over_budget');
    await clock.advance(1);
    await client.check(member);
  });
});

it('a site that does not say how long is asked again after ten seconds', async () => {
  const { service, client, clock } = await siteFixture({ site: 'voidbots' });
  service.respondWith(json(429, {}));
  const error = await lookupErrorOf(client.check(member));
  expect(error).toMatchObject({ code: 'lookup_rate_limited', retryAt: clock.now() + 10 * second });
  service.respondWith(json(200, { voted: true }));
  await clock.advance(10 * second);
  expect(await client.check(member)).toMatchObject({ voted: true });
});

it('a key that is rejected is not tried again for a minute, and its status is known', async () => {
  const { service, client, clock } = await siteFixture({ site: 'topgg' });
  service.respondWith(json(401, {}));
  await lookupErrorOf(client.check(member));
  expect(await lookupErrorOf(client.check('1'))).toMatchObject({ code: 'lookup_key_refused', status: 401 });
  expect(service.requests).toHaveLength(1);
  expect(await client.keyStatus()).toMatchObject({ keyRefused: true, wrongShape: false, budgetLeft: 59 });
  await clock.advance(minute);
  service.respondWith(json(404, {}));
  await client.check(member);
  expect((await client.keyStatus()).keyRefused).toBe(false);
});
