import { expect, test } from 'vitest';
import { openApiDocument } from '../src/api/openapi.ts';
import { openDatabase } from '../src/storage/database.ts';
import { startListingDeletion } from '../src/storage/listings/delete-listing.ts';
import { describeOnBothDatabases } from '../testing/databases.ts';
import { ask, botId, ownerId, type Running, running, serverId } from '../testing/running.ts';
import { visit } from '../testing/visit.ts';

const post = ({ service }: Running, key: string, body: unknown, init: RequestInit = {}) =>
  ask(`${service.baseUrl}/bot/stats`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
  });

describeOnBothDatabases('the numbers that a bot sends', (newDatabase) => {
  test('are stored, returned by the lookup API, and shown on the page', async () => {
    const all = await running({ database: newDatabase() });
    const stats = async () => (await all.get('/bot', { 'X-API-Key': all.keys.bot })).json['data'];
    const answer = await post(all, all.keys.bot, { serverCount: 2_001, shardCount: 3 });
    expect([answer.status, answer.json]).toEqual([200, { success: true, data: { serverCount: 2_001, shardCount: 3 } }]);
    expect(await stats()).toMatchObject({ id: botId, name: 'Quartermaster', stats: { servers: 2_001, shards: 3 } });
    expect((await post(all, all.keys.bot, { serverCount: 0 })).json).toEqual({
      success: true,
      data: { serverCount: 0, shardCount: 3 },
    });
    await post(all, all.keys.bot, { serverCount: 7, other: 'ignored' });
    expect(await stats()).toMatchObject({ stats: { servers: 7, shards: 3 } });
    expect((await ask(`${all.service.url}/bots/${botId}`)).text).toContain('<dt>Servers</dt><dd>7</dd>');
  });
});

test('a body that is not valid is 400 with what is wrong, and stores nothing', async () => {
  const all = await running();
  const count = 'serverCount must be an integer of 0 to 100000000.';
  const json = 'The body must be a JSON object';
  for (const [body, problem] of [
    ...[{}, { serverCount: -1 }, { serverCount: 1.5 }, { serverCount: '12' }, { serverCount: null }].map(
      (each) => [each, count] as const,
    ),
    ...[{ serverCount: 100_000_001 }, { serverCount: 1e300 }, { server_count: 5 }].map(
      (each) => [each, count] as const,
    ),
    [{ serverCount: 5, shardCount: 0 }, 'shardCount must be an integer of 1 to 100000.'],
    [{ serverCount: 5, shardCount: null }, 'shardCount must be an integer of 1 to 100000.'],
    ...['', 'serverCount=5', '{"serverCount":5', '[5]', 'null', '5'].map((each) => [each, json] as const),
  ] as const) {
    const { status, json: answer } = await post(all, all.keys.bot, body);
    expect([status, answer['success']], JSON.stringify(body)).toEqual([400, false]);
    expect(answer['error'], JSON.stringify(body)).toContain(problem);
  }
  const large = await post(all, all.keys.bot, { serverCount: 5, padding: 'x'.repeat(2_000) });
  expect([large.status, large.json['success']]).toEqual([413, false]);
  expect((await all.get('/bot', { 'X-API-Key': all.keys.bot })).json['data']).toMatchObject({
    stats: { servers: 1873, shards: 2 },
  });
});

test('only the key of the bot may send them, in the header or the query', async () => {
  const all = await running();
  const body = { serverCount: 5 };
  const ofServer = await post(all, all.keys.server, body);
  expect([ofServer.status, ofServer.json]).toEqual([
    400,
    { success: false, error: 'This endpoint needs the API key of a bot.' },
  ]);
  for (const key of ['', 'bot_unknown']) expect((await post(all, key, body)).status).toBe(401);
  const inQuery = await ask(`${all.service.baseUrl}/bot/stats/?key=${all.keys.bot}`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  expect(inQuery.status).toBe(200);
  const database = await openDatabase(all.database);
  await startListingDeletion(database, botId, all.clock.now());
  await database.destroy();
  expect((await post(all, all.keys.bot, body)).status).toBe(401);
});

test('they have the limit of the other endpoints, which are still read-only', async () => {
  const all = await running();
  for (let request = 0; request < 119; request += 1) await all.get('/bot', { 'X-API-Key': all.keys.bot });
  const last = await post(all, all.keys.bot, { serverCount: 5 });
  expect([last.status, last.headers.get('ratelimit')?.slice(0, 9)]).toEqual([200, '"key";r=0']);
  const refused = await post(all, all.keys.bot, { serverCount: 6 });
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  const read = await all.get('/bot/stats', { 'X-API-Key': all.keys.bot });
  expect([read.status, read.headers.get('allow')]).toEqual([405, 'POST']);
  const toBot = await ask(`${all.service.baseUrl}/bot`, { method: 'POST', headers: { 'X-API-Key': all.keys.bot } });
  expect([toBot.status, toBot.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  for (const path of ['/bot/other', '/server/stats', '/bot/stats/more']) {
    expect((await all.get(path, { 'X-API-Key': all.keys.bot })).status, path).toBe(404);
  }
});

test('an edit of the bot at the same time loses nothing else', async () => {
  const all = await running();
  const owner = await visit(all, ownerId);
  const edit = { name: 'Keeper', description: 'Keeps.', tags: 'a', servers: '1', shards: '1' };
  await Promise.all([
    owner.send(`/dashboard/${botId}`, edit),
    ...Array.from({ length: 10 }, (_, index) => post(all, all.keys.bot, { serverCount: index })),
  ]);
  expect((await all.get('/bot', { 'X-API-Key': all.keys.bot })).json['data']).toMatchObject({
    name: 'Keeper',
    description: 'Keeps.',
  });
  expect((await owner.open(`/dashboard/${botId}`)).text).toContain('POST /api/v1/bot/stats');
  expect((await owner.open(`/dashboard/${serverId}`)).text).not.toContain('/bot/stats');
});

test('the OpenAPI document describes them as an extension', () => {
  const document = openApiDocument('https://list.example/api/v1');
  expect(document.paths?.['/bot/stats']).toMatchObject({
    post: {
      summary: expect.stringContaining('an extension'),
      'x-key-types': ['bot'],
      requestBody: { required: true },
      responses: { 200: {}, 400: {}, 401: {}, 413: {}, 429: {} },
    },
  });
  expect(document.components?.schemas?.['NewBotStats']).toMatchObject({
    required: ['serverCount'],
    properties: {
      serverCount: { type: 'integer', minimum: 0, maximum: 100_000_000 },
      shardCount: { type: 'integer', minimum: 1, maximum: 100_000 },
    },
  });
});
