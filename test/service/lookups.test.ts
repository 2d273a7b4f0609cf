import { CompiledQuery } from 'kysely';
import { expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/service/storage/database.ts';
import { countReviews } from '../../src/service/storage/reviews.ts';
import { countVotes } from '../../src/service/storage/votes.ts';
import { ask, mira, running, serverId, tobias } from './running.ts';

const raw = (database: Database, text: string) => database.executeQuery(CompiledQuery.raw(text));

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

test('an upgrade counts what is there, and what was answered in the last minute', async () => {
  const first = await running();
  await first.service.castVote({ listingId: serverId, ...mira });
  await first.service.stop();
  const { votes, reviews, key } = await downgraded(first.database, first.clock.now());
  const database = await openDatabase(first.database);
  expect(await countVotes(database, serverId, first.clock.now())).toEqual({ total: votes, month: 1 });
  expect((await countReviews(database, serverId)).total).toBe(reviews);
  await raw(database, `delete from votes where listing_id = '${serverId}' and user_id = '${mira.userId}'`);
  expect(await countVotes(database, serverId, first.clock.now())).toEqual({ total: votes - 1, month: 0 });
  await database.destroy();
  const upgraded = await running({ database: first.database, clock: first.clock });
  expect(key).toBeGreaterThan(0);
  const { headers } = await upgraded.get('/server', { 'X-API-Key': first.keys.server });
  expect(headers.get('ratelimit')).toContain('r=114');
});

/** Makes the tables what they were in the first version, with five requests of the server's key in the last minute. */
async function downgraded(address: string, now: number): Promise<{ votes: number; reviews: number; key: number }> {
  const database = await openDatabase(address);
  const triggers = ['votes_counted', 'votes_uncounted', 'reviews_counted', 'reviews_changed', 'reviews_uncounted'];
  for (const trigger of triggers) await raw(database, `drop trigger ${trigger}`);
  for (const index of ['newest', 'highest', 'lowest']) await raw(database, `drop index reviews_${index}`);
  for (const index of ['by_webhook', 'leased', 'failed']) await raw(database, `drop index deliveries_${index}`);
  for (const index of ['by_owner', 'not_published']) await raw(database, `drop index listings_${index}`);
  for (const column of ['state', 'state_reason', 'icon_version'])
    await raw(database, `alter table listings drop column ${column}`);
  await raw(database, 'alter table webhooks drop column paused_by');
  const later = ['listing_icons', 'key_usage', 'review_replies', 'listing_days', 'member_deletions'];
  later.push('reports', 'bans', 'moderation_log', 'action_counts', 'used_challenges', 'proven_guilds', 'limit_holders');
  await raw(database, 'alter table members drop column session_epoch');
  for (const table of ['vote_counts', 'review_counts', 'request_reservations', ...later])
    await raw(database, `drop table ${table}`);
  await raw(database, 'create table requests (key_id integer not null, at integer not null) strict');
  const { id: key } = await database
    .selectFrom('keys')
    .select('id')
    .where('listing_id', '=', serverId)
    .executeTakeFirstOrThrow();
  for (let ago = 1; ago <= 5; ago += 1)
    await raw(database, `insert into requests values (${key}, ${now - ago * 1_000})`);
  await raw(database, "delete from kysely_migration where name > '002'");
  const votes = await database.selectFrom('votes').select('id').where('listing_id', '=', serverId).execute();
  const reviews = await database.selectFrom('reviews').select('id').where('listing_id', '=', serverId).execute();
  await database.destroy();
  return { votes: votes.length, reviews: reviews.length, key };
}
