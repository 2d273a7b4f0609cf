import { day, hour, minute, second } from '@tallyhook/platform/durations';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { expect, it } from 'vitest';
import type { SiteVote } from '../../../src/lookup/sites/site-apis.ts';
import type { HistoryOptions, SiteClient } from '../../../src/lookup/sites/site-client.ts';
import { json } from '../../support/fake-service.ts';
import { botId, member, siteFixture, siteKey } from '../../support/site-fixture.ts';
import { lookupErrorOf } from '../lookup-fixture.ts';

const iso = (at: number) => new Date(at).toISOString();

async function historyOf({ history }: SiteClient, since: number, options?: HistoryOptions): Promise<SiteVote[]> {
  if (history === null) throw new Error('The site has no history.');
  const votes: SiteVote[] = [];
  for await (const vote of history(since, options)) votes.push(vote);
  return votes;
}

/** A vote as top.gg lists it. `user_id` is its own. */
const topggVote = (at: number, weight: unknown = 1) => ({
  user_id: '8226924471638491136',
  platform_id: member,
  weight,
  created_at: iso(at),
  expires_at: iso(at + 12 * hour),
});

it('of top.gg is read page by page, until one is empty', async () => {
  const { service, client, clock } = await siteFixture({ site: 'topgg' });
  const since = clock.now() - day;
  const at = (index: number) => since + index * hour;
  const pages = [
    { cursor: 'a+b/c=', data: [topggVote(at(0)), topggVote(at(1), 2)] },
    { cursor: 'next', data: [topggVote(at(2), 99), { platform_id: null }, topggVote(at(3), 'x')] },
    { cursor: 'next', data: [] },
  ];
  service.respondWith((response, request) => {
    json(200, pages[service.requests.length - 1])(response, request);
  });
  const votes = await historyOf(client, since);
  expect(votes).toEqual(
    [1, 2, 4, 1].map((weight, index) => ({
      userId: member,
      at: at(index),
      nextVoteAt: at(index) + 12 * hour,
      weight,
    })),
  );
  expect(service.requests.map(({ url }) => url)).toEqual([
    `/api/v1/projects/@me/votes?startDate=${iso(since)}`,
    '/api/v1/projects/@me/votes?cursor=a%2Bb%2Fc%3D',
    '/api/v1/projects/@me/votes?cursor=next',
  ]);
  expect(new Set(service.requests.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer ${siteKey}`]));
});

it('of top.gg also ends with a page whose cursor is empty', async () => {
  const { service, client, clock } = await siteFixture({ site: 'topgg' });
  const at = clock.now() - hour;
  service.respondWith(json(200, { cursor: '', data: [topggVote(at)] }));
  expect(await historyOf(client, clock.now() - day)).toHaveLength(1);
  expect(service.requests).toHaveLength(1);
});

it('of top.gg is requested of a year at most', async () => {
  const { service, client, clock } = await siteFixture({ site: 'topgg' });
  service.respondWith(json(200, { cursor: 'x', data: [] }));
  await historyOf(client, 0);
  expect(service.requests[0]?.url).toContain(iso(clock.now() - 365 * day + hour));
});

it('of discordbotlist is one response, without what is older', async () => {
  const { service, client, clock } = await siteFixture({ site: 'discordbotlist' });
  const [old, at] = [clock.now() - 2 * hour, clock.now() - minute];
  const upvotes = [at, old].map((each) => ({ user_id: member, timestamp: iso(each), username: 'luke' }));
  service.respondWith(json(200, { upvotes: [...upvotes, { user_id: 7 }], total: 3 }));
  expect(await historyOf(client, clock.now() - hour)).toEqual([
    { userId: member, at, nextVoteAt: at + 12 * hour, weight: 1 },
  ]);
  expect(service.requests.map(({ url }) => url)).toEqual([`/api/v1/bots/${botId}/upvotes`]);
});

it('stays within the limit, and says when it can be continued', async () => {
  const { service, client, clock } = await siteFixture({ site: 'topgg' });
  service.respondWith(json(200, { cursor: 'same', data: [topggVote(clock.now())] }));
  const error = await lookupErrorOf(historyOf(client, clock.now() - day));
  expect(error.code).toBe('lookup_over_budget');
  expect(error.retryAt).toBeGreaterThan(clock.now());
  expect(service.requests).toHaveLength(60);
});

it('leaves half of the limit to others on request, and waits for its own half', async () => {
  const { service, client, clock } = await siteFixture({ site: 'topgg' });
  service.respondWith((response, request) => {
    const isLast = service.requests.length === 40;
    json(200, { cursor: 'same', data: isLast ? [] : [topggVote(clock.now())] })(response, request);
  });
  const reading = historyOf(client, clock.now() - day, { leavesHalf: true });
  await eventually(() => {
    expect(service.requests).toHaveLength(30);
    expect(clock.sleepers()).toBe(1);
  });
  while (service.requests.length === 30) await clock.advance(second);
  expect(await reading).toHaveLength(39);
});

it('is not read any more when its reader is stopped', async () => {
  const { client, clock } = await siteFixture({ site: 'topgg' });
  const signal = AbortSignal.abort(new Error('stopped'));
  await expect(historyOf(client, clock.now(), { leavesHalf: true, signal })).rejects.toThrow('stopped');
});

it.each(['{}', '{"data":{}}', '{"upvotes":null}', '<html>', 'null'])(
  'ends with an error after the response %s',
  async (body) => {
    for (const site of ['topgg', 'discordbotlist']) {
      const { service, client, clock } = await siteFixture({ site });
      service.respondWith((response) => void response.end(body));
      expect((await lookupErrorOf(historyOf(client, clock.now()))).code).toMatch(/not_json|wrong_shape/);
    }
  },
);
