import { expect, test } from 'vitest';
import { openDatabase } from '../../src/service/storage/database.ts';
import { ask, mira, running, serverId, tobias } from './running.ts';

test('an entity tag that is known is 304, is counted, and is not valid for other content', async () => {
  const { service, get, keys } = await running();
  const send = (known: string, path = '/reviews') =>
    get(path, { 'X-API-Key': keys.server, 'If-None-Match': known, 'Cache-Control': 'max-age=0' });
  const first = await get('/reviews', { 'X-API-Key': keys.server });
  const etag = first.headers.get('etag') ?? '';
  expect(etag).toMatch(/^W\/"[\w-]+"$/);
  for (const known of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
    const { status, text, headers } = await send(known);
    expect({ known, status, text }).toEqual({ known, status: 304, text: '' });
    expect(headers.get('etag')).toBe(etag);
    expect(headers.get('cache-control')).toBe('private, no-cache');
  }
  expect((await send('"other"')).status).toBe(200);
  expect((await send(etag, '/reviews?limit=9')).status).toBe(200);
  await service.addReview({ listingId: serverId, ...tobias, rating: 5, comment: 'Better now.' });
  const changed = await send(etag);
  expect(changed.status).toBe(200);
  expect(changed.json).toMatchObject({ data: [{ comment: 'Better now.' }, {}, {}, {}, {}, {}, {}, {}, {}, {}] });
  expect(changed.headers.get('ratelimit')).toContain('r=112');
});

test('a request for new content gets it', async () => {
  const { get, keys } = await running();
  const { headers } = await get('/server', { 'X-API-Key': keys.server });
  const again = { 'X-API-Key': keys.server, 'If-None-Match': headers.get('etag') ?? '', 'Cache-Control': 'no-cache' };
  expect((await get('/server', again)).status).toBe(200);
});

test('another process changes what is returned at once: the profile, reviews, votes and keys', async () => {
  const one = await running();
  const other = await running({ database: one.database, clock: one.clock });
  const read = async (path: string) => (await one.get(path, { 'X-API-Key': one.keys.server })).json;
  const before = await read('/server');
  await other.service.castVote({ listingId: serverId, ...mira });
  const votes = (before['data'] as { votes: number }).votes;
  expect(await read('/server')).toMatchObject({ data: { votes: votes + 1 } });
  await read('/reviews?limit=1');
  await other.service.addReview({ listingId: serverId, ...mira, rating: 2, comment: 'First.' });
  expect(await read('/reviews?limit=1')).toMatchObject({ data: [{ comment: 'First.' }], meta: { total: 31 } });
  await other.service.addReview({ listingId: serverId, ...mira, rating: 2, comment: 'Second.' });
  expect(await read('/reviews?limit=1')).toMatchObject({ data: [{ comment: 'Second.' }], meta: { total: 31 } });
  const database = await openDatabase(one.database);
  await database.updateTable('listings').set({ name: 'Renamed' }).where('id', '=', serverId).execute();
  expect(await read('/server')).toMatchObject({ data: { name: 'Renamed' } });
  await database.updateTable('keys').set({ revoked_at: 1 }).execute();
  await database.destroy();
  expect((await ask(`${one.service.baseUrl}/server`, { headers: { 'X-API-Key': one.keys.server } })).status).toBe(401);
});
