import type { ServerResponse } from 'node:http';
import { setImmediate as cacheWrite } from 'node:timers/promises';
import { day, hour, minute, second } from '@tallyhook/platform/durations';
import { describe, expect, it } from 'vitest';
import { createSiteClient, createSiteLookup } from '../../../src/lookup/sites/site-client.ts';
import { delayed, json, startFakeService } from '../../support/fake-service.ts';
import { botId, member, siteFixture, siteKey } from '../../support/site-fixture.ts';
import { lookupErrorOf } from '../lookup-fixture.ts';
import { siteCases } from './site-responses.ts';

const no = 'no';

describe.each(siteCases)('$site', ({ site, url, authorization, voted, notVoted, notVotedStatus = 200, ...known }) => {
  it('is asked with its path and the key in the header alone, and says that a member has voted', async () => {
    const { service, client, clock } = await siteFixture({ site });
    const votedAt = clock.now() - hour;
    service.respondWith(json(200, voted(votedAt)));
    const at = known.at === 'known' ? votedAt : null;
    const nextVoteAt = known.cooldownMs === null ? null : votedAt + known.cooldownMs;
    expect(await client.check(member)).toMatchObject({ voted: true, at, nextVoteAt, asOf: clock.now() });
    expect(service.requests.map((request) => request.url)).toEqual([url]);
    const { authorization: sent, ...others } = service.requests[0]?.headers ?? {};
    expect(sent).toBe(authorization);
    expect(JSON.stringify(others) + url).not.toContain(siteKey);
  });

  it('says that a member has not voted, and is asked again after a minute', async () => {
    const { service, client, clock } = await siteFixture({ site });
    service.respondWith(json(notVotedStatus, notVoted(clock.now())));
    const none = { voted: false, at: null, nextVoteAt: null };
    expect(await client.check(member)).toMatchObject(none);
    await clock.advance(minute - 1);
    expect(await client.check(member)).toMatchObject(none);
    expect(service.requests).toHaveLength(1);
    service.respondWith(json(200, voted(clock.now())));
    await clock.advance(1);
    expect(await client.check(member)).toMatchObject({ voted: true });
    expect(service.requests).toHaveLength(2);
  });

  it('is asked again after a delivery, although it has just said no', async () => {
    const { service, client, clock } = await siteFixture({ site });
    service.respondWith(json(notVotedStatus, notVoted(clock.now())));
    await client.check(member);
    await clock.advance(second);
    service.respondWith(json(200, voted(clock.now())));
    expect(await client.check(member, { notBefore: clock.now() })).toMatchObject({ voted: true });
    expect(service.requests).toHaveLength(2);
  });

  it.each([
    ['503 with a page', text(503, '<html>'), 'lookup_service_error'],
    ['401', json(401, { error: siteKey }), 'lookup_key_refused'],
    ['403', json(403, {}), 'lookup_key_refused'],
    ['404 with a page', text(404, '<html>Not Found</html>'), 'lookup_not_found'],
    ['no JSON', text(200, `not voted ${siteKey}`), 'lookup_not_json'],
    ['null', json(200, null), 'lookup_wrong_shape'],
    ['an empty object', json(200, {}), 'lookup_wrong_shape'],
    ['a list of numbers', json(200, [1]), 'lookup_wrong_shape'],
    [
      'texts instead of flags',
      json(200, { voted: no, hasVoted: no, has_voted: no, upvotes: no }),
      'lookup_wrong_shape',
    ],
    ['a megabyte and more', text(200, `{"voted":false,"x":"${'x'.repeat(2 ** 20)}"}`), 'lookup_wrong_shape'],
    ['prototype keys', text(200, '{"__proto__":{"voted":false,"hasVoted":false}}'), 'lookup_wrong_shape'],
    ['deep nesting', text(200, `${'['.repeat(50_000)}${']'.repeat(50_000)}`), 'lookup_wrong_shape'],
  ] as const)('never says no after %s', async (_, response, code) => {
    const { service, client, logged } = await siteFixture({ site });
    service.respondWith(response);
    const error = await lookupErrorOf(client.check(member));
    expect(error.code).toBe(code);
    expect(error.hint).not.toBe('');
    expect([error.message, error.stack, String(error.cause), ...logged].join('\n')).not.toContain(siteKey);
  });

  it('never says no when it does not respond in time, nor what was known before', async () => {
    const { service, client, clock } = await siteFixture({ site });
    service.respondWith(json(notVotedStatus, notVoted(clock.now())));
    await client.check(member);
    await clock.advance(minute);
    service.respondWith(() => {});
    const late = lookupErrorOf(client.check(member));
    await service.received(2);
    await clock.advance(5 * second);
    expect((await late).code).toBe('lookup_timeout');
  });
});

it('tells the name, the counts and the score of a listing on top.gg to who waits for them, and later to everyone', async () => {
  const { service, client, clock } = await siteFixture({ site: 'topgg' });
  const told = { tags: ['fun'], votes: 1120, votes_total: 313_389, review_score: 4.38, review_count: 62 };
  service.respondWith(json(200, { id: '1', name: 'Miki', type: 'bot', platform: 'discord', ...told }));
  const lookup = createSiteLookup({
    ...{ kind: 'bot', id: botId, page: null, client, clock, cooldownMs: 12 * hour },
    ...{ lastVote: async () => null, observe() {}, observeAge() {} },
  });
  const known = await lookup.cached.profile();
  expect(known).toMatchObject({ name: '', votes: null });
  const { value } = await lookup.profile({ complete: true });
  expect(value).toMatchObject({
    ...{ kind: 'bot', name: 'Miki', votes: 313_389, monthlyVotes: 1120, rating: { score: 4.38, count: 62 } },
  });
  expect((await lookup.profile()).value).toBe(value);
  expect(service.requests.map((request) => request.url)).toEqual(['/api/v1/projects/@me']);
});

function text(status: number, body: string) {
  return (response: ServerResponse) => void response.writeHead(status).end(body);
}

const responses = (site: string) => {
  const found = siteCases.find((each) => each.site === site);
  if (found === undefined) throw new Error(site);
  return found;
};

describe('a vote that runs', () => {
  it.each(['topgg', 'discordbotlist'])(
    'at %s is certain until it ends, also after a restart and while the site is down',
    async (site) => {
      const { service, client, clock, restart } = await siteFixture({ site });
      const votedAt = clock.now() - hour;
      service.respondWith(json(200, responses(site).voted(votedAt)));
      await client.check(member);
      await cacheWrite();
      service.respondWith(json(500, {}));
      await clock.advance(11 * hour - 1);
      expect(await client.check(member)).toMatchObject({ voted: true, at: votedAt });
      expect(await restart().check(member)).toMatchObject({ voted: true, at: votedAt });
      expect(service.requests).toHaveLength(1);
      await clock.advance(1);
      expect((await lookupErrorOf(client.check(member))).code).toBe('lookup_service_error');
      expect(service.requests).toHaveLength(2);
    },
  );
});

describe('one response for all members', () => {
  const members = Array.from({ length: 100 }, (_, index) => `2000000000000000${String(index).padStart(2, '0')}`);

  it('is requested once for all of them', async () => {
    const { service, client, clock } = await siteFixture({ site: 'discordbotlist' });
    service.respondWith(json(200, responses('discordbotlist').voted(clock.now() - hour)));
    const checks = await Promise.all(members.map((each) => client.check(each)));
    expect(checks.every(({ voted }) => !voted)).toBe(true);
    expect((await client.check(member)).voted).toBe(true);
    expect(service.requests).toHaveLength(1);
  });

  it('that was requested before the delivery of a vote is followed by one more for all', async () => {
    const { service, client, clock } = await siteFixture({ site: 'discordbotlist' });
    const { notVoted, voted } = responses('discordbotlist');
    const { delayedHandler, release } = delayed(json(200, notVoted(clock.now())));
    service.respondWith(delayedHandler);
    const early = client.check(member);
    await service.received(1);
    await clock.advance(second);
    const late = Promise.all(members.map((each) => client.check(each, { notBefore: clock.now() })));
    const lateMember = client.check(member, { notBefore: clock.now() });
    service.respondWith(json(200, voted(clock.now())));
    release();
    expect((await early).voted).toBe(false);
    expect((await lateMember).voted).toBe(true);
    await late;
    expect(service.requests).toHaveLength(2);
  });

  it('does not cover votes before the oldest, if there are more', async () => {
    const { service, client, clock } = await siteFixture({ site: 'discordbotlist' });
    const latest = { user_id: members[0], timestamp: new Date(clock.now() - minute).toISOString() };
    service.respondWith(json(200, { upvotes: [latest], total: 2 }));
    expect(await client.check(member)).toMatchObject({ voted: false, since: clock.now() - minute });
  });

  it('covers no time at all, if one of its votes cannot be read', async () => {
    const { service, client, clock } = await siteFixture({ site: 'discordbotlist' });
    service.respondWith(json(200, { upvotes: [{ user_id: null, timestamp: 'now' }], total: 1 }));
    expect(await client.check(member)).toMatchObject({ voted: false, since: clock.now() });
  });

  it('covers 12 hours, if it is complete', async () => {
    const { service, client, clock } = await siteFixture({ site: 'discordbotlist' });
    service.respondWith(json(200, { upvotes: [], total: 0 }));
    expect(await client.check(member)).toMatchObject({ voted: false, since: clock.now() - 12 * hour });
  });
});

describe('top.gg', () => {
  const keyOf = (payload: object) => `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.c2lnbmF0dXJl`;

  it('is asked by version 0 with a key of version 0', async () => {
    const key = keyOf({ id: botId, bot: true, iat: 1_600_000_000 });
    const { service, client } = await siteFixture({ site: 'topgg', key });
    service.respondWith(json(200, { voted: 1 }));
    expect(await client.check(member)).toMatchObject({ voted: true, at: null, nextVoteAt: null });
    expect(service.requests[0]?.url).toBe(`/api/bots/${botId}/check?userId=${member}`);
    expect(service.requests[0]?.headers.authorization).toBe(key);
    expect(client.history).toBe(null);
    service.respondWith(json(404, {}));
    expect((await lookupErrorOf(client.check('1'))).code).toBe('lookup_not_found');
  });

  it.each([keyOf({ _t: '', id: botId }), keyOf({ id: botId, bot: true, _t: 'x' }), 'a.b.c'])(
    'is asked by version 1 with the key %s, also about a server without an ID',
    async (key) => {
      const { service, client } = await siteFixture({ site: 'topgg', key, kind: 'server', id: null });
      service.respondWith(json(404, {}));
      expect((await client.check(member)).voted).toBe(false);
      expect(service.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
    },
  );
});

it('a vote against a listing is none, but the next one has to wait', async () => {
  const { service, client, clock } = await siteFixture({ site: 'infinity', kind: 'server', key: null });
  const votedAt = clock.now() - hour;
  const vote = { upvote: false, created_at: new Date(votedAt).toISOString() };
  service.respondWith(json(200, { has_voted: true, valid_votes: [vote], vote_info: { vote_time: 12 } }));
  expect(await client.check(member)).toMatchObject({ voted: false, at: votedAt, nextVoteAt: votedAt + 12 * hour });
  expect(service.requests[0]?.url).toBe(`/users/${member}/server/${botId}/votes`);
});

it('an end of the cooldown in the far future is not believed', async () => {
  const { service, client, clock } = await siteFixture({ site: 'topgg' });
  const [created_at, expires_at] = [clock.now(), clock.now() + 9 * day].map((at) => new Date(at).toISOString());
  service.respondWith(json(200, { created_at, expires_at, weight: 1 }));
  expect(await client.check(member)).toMatchObject({ voted: true, nextVoteAt: null });
});

it('a redirect to another origin does not receive the key', async () => {
  const { service, client } = await siteFixture({ site: 'topgg' });
  const thief = await startFakeService();
  service.respondWith(json(307, {}, { Location: `${thief.origin}/api` }));
  await lookupErrorOf(client.check(member));
  expect(thief.requests).toEqual([]);
  await thief.close();
});

it('a listing without an API of its site, a key or an ID has no client', async () => {
  const { options } = await siteFixture({ site: 'topgg' });
  const create = (site: string, changed: object = {}) =>
    createSiteClient({ site, kind: 'bot', id: botId, key: siteKey, ...changed }, options);
  for (const site of ['discords', 'disurl', 'custom', '__proto__', 'constructor', '']) expect(create(site)).toBe(null);
  expect(create('topgg', { key: null })).toBe(null);
  expect(create('infinity', { key: null })).not.toBe(null);
  expect(create('infinity', { id: null })).toBe(null);
  expect(create('discordplace', { kind: 'server' })).toBe(null);
  expect(() => create('topgg', { key: 'Bearer key' })).toThrow(
    expect.objectContaining({ code: 'lookup_key_malformed' }),
  );
});
