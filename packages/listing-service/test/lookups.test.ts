import { expect, test } from 'vitest';
import { running, serverId, tobias } from '../testing/running.ts';

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
