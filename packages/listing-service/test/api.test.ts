import { hour } from '@tallyhook/platform/durations';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ask, botId, mira, running, serverId, tobias } from '../testing/running.ts';

const votesSchema = z.object({ votes: z.number() });

test('a server key reads the complete server profile, without meta', async () => {
  const { get, keys } = await running();
  const { status, json } = await get('/server', { 'X-API-Key': keys.server });
  expect(status).toBe(200);
  expect(Object.keys(json)).toEqual(['success', 'data']);
  expect(json['data']).toMatchObject({
    id: serverId,
    name: 'Lantern Harbour',
    votes: expect.any(Number),
    monthlyVotes: expect.any(Number),
    tags: expect.arrayContaining(['community']),
    category: 'Community',
    ownerDiscordId: expect.stringMatching(/^\d+$/),
    features: expect.any(Array),
    emojis: expect.any(Array),
    channelCount: 48,
    roleCount: 23,
    rules: expect.any(Array),
    url: expect.stringContaining(`/servers/${serverId}`),
    memberCount: 4218,
    stats: { members: 4218, online: 611 },
  });
});

test('a bot key reads exactly the bot profile', async () => {
  const { get, keys } = await running();
  const { status, json } = await get('/bot', { 'X-API-Key': keys.bot });
  expect(status).toBe(200);
  expect(json).toEqual({
    success: true,
    data: {
      id: botId,
      name: 'Quartermaster',
      description: expect.any(String),
      votes: expect.any(Number),
      tags: ['utility', 'economy', 'reminders'],
      url: expect.stringContaining(`/bots/${botId}`),
      stats: { servers: 1873, shards: 2 },
    },
  });
});

test('votes are counted in the total and in their month', async () => {
  const { service, clock, get, keys } = await running();
  const counts = async () => (await get('/server', { 'X-API-Key': keys.server })).json['data'];
  const before = votesSchema.parse(await counts());
  await service.castVote({ listingId: serverId, ...mira });
  expect(await counts()).toMatchObject({ votes: before.votes + 1, monthlyVotes: 1 });
  clock.leap(32 * 24 * hour);
  expect(await counts()).toMatchObject({ votes: before.votes + 1, monthlyVotes: 0 });
});

test('a key of the wrong kind is 400', async () => {
  const { get, keys } = await running();
  for (const [path, key] of [
    ['/server', keys.bot],
    ['/reviews', keys.bot],
    ['/bot', keys.server],
  ] as const) {
    const { status, json } = await get(path, { 'X-API-Key': key });
    expect({ path, status, json }).toEqual({
      path,
      status: 400,
      json: { success: false, error: expect.stringContaining('needs the API key of a') },
    });
  }
  expect((await get(`/votes/${mira.userId}`, { 'X-API-Key': keys.server })).status).toBe(200);
  expect((await get(`/votes/${mira.userId}`, { 'X-API-Key': keys.bot })).status).toBe(200);
});

test.each([
  ['no key', '', {}],
  ['an unknown key', '', { 'X-API-Key': 'server_unknown' }],
  ['an empty header', '', { 'X-API-Key': '' }],
  ['an unknown key in the query', '?key=nope', {}],
  ['a key sent twice', '?key=a&key=b', {}],
])('%s is 401 in the failure envelope', async (_case, query, headers) => {
  const { get } = await running();
  const { status, json } = await get(`/server${query}`, headers);
  expect(status).toBe(401);
  expect(json).toEqual({ success: false, error: expect.any(String) });
});

test('the key may be in the query; if both are sent, the header is used', async () => {
  const { get, keys } = await running();
  expect((await get(`/server?key=${keys.server}`)).status).toBe(200);
  expect((await get('/server?key=nope', { 'X-API-Key': keys.server })).status).toBe(200);
  expect((await get(`/server?key=${keys.server}`, { 'X-API-Key': 'nope' })).status).toBe(401);
});

test('a user who has never voted may vote, and both dates are null', async () => {
  const { get, keys } = await running();
  const { json } = await get(`/votes/${mira.userId}`, { 'X-API-Key': keys.server });
  expect(json).toEqual({
    success: true,
    data: { canVote: true, nextVoteDate: null, lastVoteDate: null, secondsUntilVote: 0 },
  });
});

test('the cooldown is twelve hours to the millisecond', async () => {
  const { service, clock, get, keys } = await running();
  const status = async () => (await get(`/votes/${mira.userId}`, { 'X-API-Key': keys.server })).json['data'];
  await service.castVote({ listingId: serverId, ...mira });
  const dates = { lastVoteDate: '2026-01-01T00:00:00.000Z', nextVoteDate: '2026-01-01T12:00:00.000Z' };
  expect(await status()).toEqual({ ...dates, canVote: false, secondsUntilVote: 43_200 });
  clock.leap(12 * hour - 1);
  expect(await status()).toEqual({ ...dates, canVote: false, secondsUntilVote: 1 });
  clock.leap(1);
  expect(await status()).toEqual({ ...dates, canVote: true, secondsUntilVote: 0 });
});

test('the server and the bot have separate cooldowns', async () => {
  const { service, get, keys } = await running();
  await service.castVote({ kind: 'server', ...mira });
  const { json } = await get(`/votes/${mira.userId}`, { 'X-API-Key': keys.bot });
  expect(json['data']).toMatchObject({ canVote: true, lastVoteDate: null });
});

test.each(['abc', '12a', '-1', '1.5', '%20', '12345678901234567890x', '%E0', '%D9%A1', "1'--"])(
  'the user id %s is 400',
  async (userId) => {
    const { get, keys } = await running();
    const { status, json } = await get(`/votes/${userId}`, { 'X-API-Key': keys.server });
    expect(status).toBe(400);
    expect(json).toEqual({ success: false, error: expect.any(String) });
  },
);

test.each([21, 30, 1_000])('a user id of %d digits is numeric: a user who has never voted', async (length) => {
  const { get, keys } = await running();
  const { status, json } = await get(`/votes/${'1'.repeat(length)}`, { 'X-API-Key': keys.server });
  expect(status).toBe(200);
  expect(json['data']).toEqual({ canVote: true, nextVoteDate: null, lastVoteDate: null, secondsUntilVote: 0 });
});

test('reviews are sorted newest first, ten by default, with the total', async () => {
  const { get, keys } = await running();
  const { json } = await get('/reviews', { 'X-API-Key': keys.server });
  const reviews = json['data'] as { createdAt: string }[];
  expect(json['meta']).toEqual({ total: 31, shown: 10 });
  expect(reviews[0]).toEqual({
    username: 'tamsin',
    rating: 5,
    comment: 'Five stars, five lanterns, five cups of tea.',
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  });
  expect(reviews.map((review) => review.createdAt)).toEqual(
    reviews.map((review) => review.createdAt).toSorted((a, b) => b.localeCompare(a)),
  );
});

test.each([
  ['highest', (a: number, b: number) => b - a],
  ['lowest', (a: number, b: number) => a - b],
])('reviews sort by %s rating', async (sort, order) => {
  const { get, keys } = await running();
  const { json } = await get(`/reviews?sort=${sort}&limit=50`, { 'X-API-Key': keys.server });
  const ratings = (json['data'] as { rating: number }[]).map((review) => review.rating);
  expect(ratings).toHaveLength(31);
  expect(ratings).toEqual(ratings.toSorted(order));
});

test.each([
  ['limit=1', 1],
  ['limit=007', 7],
  ['limit=50', 50],
  ['limit=51', 50],
  ['limit=99999999999999999999999', 50],
])('?%s returns %i of more reviews', async (query, shown) => {
  const { service, get, keys } = await running();
  for (let user = 1; user <= 30; user += 1) {
    await service.addReview({ listingId: serverId, userId: `${user}`, username: `u${user}`, rating: 3, comment: 'ok' });
  }
  const { json } = await get(`/reviews?${query}`, { 'X-API-Key': keys.server });
  expect(json['meta']).toEqual({ total: 61, shown });
});

test.each(['limit=0', 'limit=-1', 'limit=1.5', 'limit=abc', 'limit=', 'limit=1&limit=2', 'sort=oldest', 'sort='])(
  '?%s is 400',
  async (query) => {
    const { get, keys } = await running();
    const { status, json } = await get(`/reviews?${query}`, { 'X-API-Key': keys.server });
    expect(status).toBe(400);
    expect(json).toEqual({ success: false, error: expect.stringMatching(/limit|sort/) });
  },
);

test('a second review of the same user replaces the first', async () => {
  const { service, get, keys } = await running();
  await service.addReview({ listingId: serverId, ...tobias, rating: 1, comment: 'Changed my mind.' });
  const { json } = await get('/reviews?limit=1', { 'X-API-Key': keys.server });
  expect(json).toMatchObject({ data: [{ rating: 1, comment: 'Changed my mind.' }], meta: { total: 31 } });
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s is 405, with or without a key', async (method) => {
  const { service } = await running();
  const { status, headers, json } = await ask(`${service.baseUrl}/server`, { method });
  expect(status).toBe(405);
  expect(headers.get('allow')).toBe('GET, HEAD');
  expect(json['success']).toBe(false);
});

test('HEAD is GET without a body, a trailing slash changes nothing, and an entity tag is honoured', async () => {
  const { service, keys } = await running();
  const headers = { 'X-API-Key': keys.server };
  const head = await ask(`${service.baseUrl}/server`, { method: 'HEAD', headers });
  expect(head).toMatchObject({ status: 200, text: '' });
  expect((await ask(`${service.baseUrl}/server/`, { headers })).status).toBe(200);
  const again = { ...headers, 'If-None-Match': head.headers.get('etag') ?? '', 'Cache-Control': 'max-age=0' };
  expect((await ask(`${service.baseUrl}/server`, { headers: again })).status).toBe(304);
});

test.each(['/', '/nope', '/server/more', '/votes', '/votes/', '/SERVER'])('the path %s is 404', async (path) => {
  const { get, keys } = await running();
  const { status, json } = await get(path, { 'X-API-Key': keys.server });
  expect(status).toBe(404);
  expect(json).toEqual({ success: false, error: expect.any(String) });
});

test.each(['/API/V1/server', '/Api/v1/server', '/api/V1/votes/1', '/api/v1/Votes/1', '/api/v1/reviewS/'])(
  'the path %s is 404 in the envelope: paths are case-sensitive, the base path too',
  async (path) => {
    const { service, keys } = await running();
    const { status, json } = await ask(service.url + path, { headers: { 'X-API-Key': keys.server } });
    expect(status).toBe(404);
    expect(json).toEqual({ success: false, error: expect.any(String) });
  },
);

test('every endpoint below the base path needs a key', async () => {
  const { service, get, keys } = await running();
  for (const path of ['/server', '/bot', '/votes/1', '/reviews']) expect((await get(path)).status, path).toBe(401);
  expect((await get('/openapi.json')).status).toBe(404);
  expect((await get('/openapi.json', { 'X-API-Key': keys.server })).status).toBe(404);
  expect((await ask(`${service.url}/`)).text).toContain('href="/openapi.json"');
});

test('an unexpected error is 500 in the envelope without details, and is logged', async () => {
  const { service, get, keys, database, lines } = await running();
  const { openDatabase } = await import('../src/storage/database.ts');
  const second = await openDatabase(database);
  await second.schema.dropTable('votes').execute();
  const { status, json, text } = await get(`/votes/${mira.userId}`, { 'X-API-Key': keys.server });
  await second.destroy();
  expect(status).toBe(500);
  expect(json).toEqual({ success: false, error: 'Unexpected error. Please try again later.' });
  expect(text).not.toContain('votes');
  expect(lines.join('\n')).toContain('no such table');
  expect(service.url).toContain('127.0.0.1');
});

test('keys are stored as digests only, a revoked key is rejected, and a further key is accepted', async () => {
  const { service, get, keys, database } = await running();
  const { openDatabase } = await import('../src/storage/database.ts');
  const second = await openDatabase(database);
  const rows = await second.selectFrom('keys').selectAll().where('listing_id', '=', serverId).execute();
  await second.destroy();
  expect(JSON.stringify(rows)).not.toContain(keys.server);

  const further = await service.issueKey(serverId, 'Second');
  expect(await service.revokeKey(serverId, rows[0]?.id ?? 0)).toBe(true);
  expect((await get('/server', { 'X-API-Key': keys.server })).status).toBe(401);
  expect((await get('/server', { 'X-API-Key': further })).status).toBe(200);
});

test('keys are not logged', async () => {
  const { get, keys, lines } = await running();
  await get(`/server?key=${keys.server}`);
  await get(`/bot?key=${keys.server}`);
  expect(lines.join('\n')).not.toContain(keys.server);
});
