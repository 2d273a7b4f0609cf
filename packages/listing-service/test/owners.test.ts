import { day, hour, minute } from '@tallyhook/platform/durations';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { expect, onTestFinished, test } from 'vitest';
import { maxListingsOfOwner } from '../src/actions/create-listing.ts';
import { type Database, openDatabase } from '../src/storage/database.ts';
import { maxKeys } from '../src/storage/listings/keys.ts';
import { listingDays } from '../src/storage/listings/listing-days.ts';
import { describeOnBothDatabases } from '../testing/databases.ts';
import { mira, ownerId, type Running, receiver, running, serverId, tobias } from '../testing/running.ts';
import { visit } from '../testing/visit.ts';

const dashboard = `/dashboard/${serverId}`;

async function opened({ database: address }: Running): Promise<Database> {
  const database = await openDatabase(address);
  onTestFinished(() => database.destroy());
  return database;
}

describeOnBothDatabases('the pages of owners', (newUrl) => {
  test('a listing is given to another member with its keys and webhooks', async () => {
    const all = await running({ database: newUrl() });
    const { url, received } = await receiver();
    const key = await all.service.issueKey(serverId, 'Bot');
    await all.service.setWebhook(serverId, { voteUrl: url });
    await all.service.setOwner(serverId, mira);
    expect((await (await visit(all, ownerId)).open(dashboard)).status).toBe(404);
    expect((await (await visit(all, mira.userId)).open(dashboard)).status).toBe(200);
    expect((await all.get('/server', { 'X-API-Key': key })).json).toMatchObject({
      data: { ownerDiscordId: mira.userId },
    });
    await all.service.castVote({ listingId: serverId, ...mira });
    await eventually(() => expect(received).toHaveLength(1));
    await expect(all.service.setOwner('1', mira)).rejects.toThrow('Unknown listing "1"');
  });

  test('an owner replies to a review once, edits the reply and deletes it; the API does not show it', async () => {
    const all = await running({ database: newUrl() });
    const { open, send } = await visit(all, ownerId);
    const page = (await open(`${dashboard}/reviews`)).text;
    const path = /action="([^"]+\/reply)"/.exec(page)?.[1] ?? '';
    expect((await send(path, { reply: 'First <b>' })).status).toBe(303);
    expect((await send(path, { reply: 'Second <b>' })).status).toBe(303);
    const { text } = await open(`/servers/${serverId}`);
    expect(text).toContain('Second &#60;b&#62;');
    expect(text).not.toContain('First');
    const reviews = await all.get('/reviews?limit=1', { 'X-API-Key': all.keys.server });
    expect(Object.keys((reviews.json['data'] as object[])[0] ?? {})).toEqual([
      ...['username', 'rating', 'comment', 'createdAt'],
    ]);
    expect((await open(`${dashboard}/reviews?unanswered=1`)).text).not.toContain('Second');
    expect((await send(`${path}/delete`, {})).status).toBe(303);
    expect((await send(`${path}/delete`, {})).status).toBe(404);
    expect((await open(`/servers/${serverId}`)).text).not.toContain('Second');
  });

  test('a key shows when it was used, and there are never more than the maximum', async () => {
    const all = await running({ database: newUrl() });
    const { open, send } = await visit(all, ownerId);
    expect((await open(dashboard)).text).toContain('never');
    await all.get('/server', { 'X-API-Key': all.keys.server });
    all.clock.leap(10 * minute);
    await all.clock.advance(1 * minute);
    await eventually(async () => expect((await open(dashboard)).text).toMatch(/1[01] minutes ago<\/time><\/td>/));
    const created = await Promise.all(
      Array.from({ length: maxKeys + 2 }, () => send(`${dashboard}/keys`, { label: 'Key' })),
    );
    expect(created.filter(({ status }) => status === 200)).toHaveLength(maxKeys - 1);
    expect(created.filter(({ status }) => status === 409)).toHaveLength(3);
  });

  test('a webhook that its owner paused stays paused after a successful test and a new URL', async () => {
    const all = await running({ database: newUrl() });
    const { url, received } = await receiver();
    const { open, send } = await visit(all, ownerId);
    const webhook = `${dashboard}/webhooks/vote`;
    await send(webhook, { url });
    expect((await send(`${webhook}/pause`, {})).status).toBe(303);
    await send(`${webhook}/test`, {});
    await send(webhook, { url: `${url}/other` });
    await all.service.castVote({ listingId: serverId, ...mira });
    expect((await open(dashboard)).text).toContain('You paused it.');
    expect(received).toHaveLength(1);
    expect((await open(`${dashboard}/deliveries?state=waiting`)).text).not.toContain('mark good');
    expect((await open(`${dashboard}/deliveries?state=delivered`)).text).toContain('mark good');
    expect((await send(`${webhook}/resume`, {})).status).toBe(303);
    await eventually(() => expect(received).toHaveLength(2));
    expect((await send(`${dashboard}/webhooks/premium/pause`, {})).status).toBe(404);
  });

  test('an owner adds a server and a bot, but neither twice nor without end', async () => {
    const all = await running({ database: newUrl(), operators: [tobias.userId] });
    const { open, send } = await visit(all, mira.userId);
    const server = { id: '77', name: 'Mira\u202E and\u0000 friends', description: '' };
    expect((await send('/dashboard/new/server', server)).headers.get('location')).toBe('/dashboard/77?notice=created');
    expect((await open('/dashboard/77')).text).toContain('Mira and friends');
    expect((await send('/dashboard/new/server', server)).status).toBe(409);
    expect((await send('/dashboard/new/bot', { ...server, id: serverId })).status).toBe(409);
    expect((await send('/dashboard/new/bot', { ...server, id: '78' })).headers.get('location')).toContain('pending');
    expect((await open('/bots/78')).status).toBe(200);
    expect((await (await visit(all, ownerId)).open('/bots/78')).status).toBe(404);
    expect((await (await visit(all, tobias.userId)).open('/bots/78')).status).toBe(200);
    const more = await Promise.all(
      Array.from({ length: maxListingsOfOwner }, (_, index) =>
        send('/dashboard/new/server', { ...server, id: String(100 + index) }),
      ),
    );
    expect(more.filter(({ status }) => status === 303)).toHaveLength(maxListingsOfOwner - 2);
  });

  test('the home page finds listings by name, tag and kind, with most votes of the month first', async () => {
    const all = await running({ database: newUrl() });
    await all.service.createListing({
      kind: 'bot',
      discordId: '7',
      name: '100% Lantern_bot',
      tags: ['a "quoted" tag'],
    });
    await all.service.castVote({ listingId: '7', ...mira });
    const { open } = await visit(all, mira.userId);
    const found = async (query: string) =>
      [...(await open(`/?${query}`)).text.matchAll(/class="cover" href="([^"]+)"/g)].map(([, path]) => path);
    expect(await found('')).toEqual(['/bots/7', `/servers/${serverId}`, '/bots/716390085896962058']);
    expect(await found('q=lANTERN')).toEqual(['/bots/7', `/servers/${serverId}`]);
    expect(await found('q=lantern&kind=bot')).toEqual(['/bots/7']);
    expect(await found('q=100%25')).toEqual(['/bots/7']);
    expect(await found('q=n_b')).toEqual(['/bots/7']);
    expect(await found(`tag=${encodeURIComponent('a "quoted" tag')}`)).toEqual(['/bots/7']);
    expect(await found('tag=quoted')).toEqual([]);
    expect(await found('page=2')).toEqual([]);
    for (const odd of ['q=%5C', 'q=a&q=b', 'page=-1', 'page=1e9', `q=${'x'.repeat(5_000)}`, 'tag=%ED%A0%80'])
      expect((await open(`/?${odd}`)).status, odd).toBe(200);
  });

  test('the chart counts each day once, also after it was stored', async () => {
    const all = await running({ database: newUrl() });
    const database = await opened(all);
    const now = all.clock.now();
    const range = { count: 90, now };
    const first = await listingDays(database, serverId, range);
    const votes = first.reduce((sum, each) => sum + each.votes, 0);
    expect(votes).toBe(await votesOf(database, serverId));
    await all.service.castVote({ listingId: serverId, ...mira });
    const second = await listingDays(database, serverId, range);
    expect(second.slice(0, -1)).toEqual(first.slice(0, -1));
    expect(second.at(-1)?.votes).toBe((first.at(-1)?.votes ?? 0) + 1);
    const stored = await database.selectFrom('listing_days').selectAll().execute();
    expect(stored.length).toBeGreaterThanOrEqual(88);
    expect(Math.max(...stored.map((row) => row.day))).toBeLessThan(Math.floor(now / day));
    const { text } = await (await visit(all, ownerId)).open(`${dashboard}/statistics?days=90`);
    expect(text).toContain(`${(votes + 1).toLocaleString('en')} votes in total`);
  });

  test('the export has everything and no secret; the deletion needs the name and removes every row', async () => {
    const all = await running({ database: newUrl() });
    const database = await opened(all);
    const { url } = await receiver();
    const { open, send } = await visit(all, ownerId);
    const { voteSecret } = await all.service.setWebhook(serverId, { voteUrl: url });
    await all.service.castVote({ listingId: serverId, ...mira });
    await all.service.purchase({ listingId: serverId, buyer: mira });
    const reply = /action="([^"]+\/reply)"/.exec((await open(`${dashboard}/reviews`)).text)?.[1] ?? '';
    await send(reply, { reply: 'Thanks' });
    await open(`${dashboard}/statistics`);
    const exported = await open(`${dashboard}/export`);
    expect(exported.headers.get('content-disposition')).toContain(`server-${serverId}.json`);
    expect(exported.json['votes']).toHaveLength(await votesOf(database, serverId));
    expect(exported.json['reviews']).toHaveLength(31);
    expect(exported.json).toMatchObject({ purchases: [{ buyer: mira }], deliveries: [{ event: 'server_vote' }] });
    expect(exported.json['listing']).toMatchObject({
      invite: expect.stringContaining('https://discord.com/invite/'),
      categories: ['Gaming', 'Community'],
    });
    expect(exported.text).toContain('"Thanks"');
    expect(exported.text).not.toContain(voteSecret);
    expect(exported.text).not.toContain(all.keys.server);

    expect((await send(`${dashboard}/delete`, { name: 'lantern harbour' })).status).toBe(400);
    expect((await send(`${dashboard}/delete`, { name: ' Lantern Harbour ' })).status).toBe(303);
    expect((await all.get('/server', { 'X-API-Key': all.keys.server })).status).toBe(401);
    expect((await open(`/servers/${serverId}`)).status).toBe(404);
    expect((await open('/dashboard')).text).toContain('being deleted');
    await all.clock.advance(1 * minute);
    await eventually(async () => expect((await open('/dashboard')).text).not.toContain('being deleted'));
    const tables = ['votes', 'reviews', 'review_replies', 'deliveries', 'webhooks', 'purchases', 'keys'] as const;
    const others = ['vote_counts', 'review_counts', 'listing_days', 'listing_icons', 'reports'] as const;
    for (const table of [...tables, ...others]) {
      const rows = await database.selectFrom(table).select('listing_id').where('listing_id', '=', serverId).execute();
      expect(rows, table).toEqual([]);
    }
    expect((await send('/dashboard/new/server', { id: serverId, name: 'Again' })).status).toBe(303);
    expect(await votesOf(database, serverId)).toBe(0);
  });

  test('a member deletes their data: the votes stay counted, the cooldown holds, then nothing names them', async () => {
    const all = await running({ database: newUrl() });
    const database = await opened(all);
    const { open, send } = await visit(all, tobias.userId);
    await send(`/servers/${serverId}/vote`, {});
    const votes = await votesOf(database, serverId);
    const data = (await open('/your-data/export')).json as { listings: { votes: string[]; review: object }[] };
    expect(data.listings[0]?.votes.length).toBeGreaterThan(1);
    expect((await open('/your-data')).text).toContain('Lantern Harbour');
    expect((await send('/your-data/delete', {})).status).toBe(400);
    expect((await send('/your-data/delete', { confirm: 'yes' })).status).toBe(303);
    expect((await open('/your-data')).headers.get('location')).toContain('/sign-in');
    expect(await votesOf(database, serverId)).toBe(votes);
    expect(await all.service.castVote({ listingId: serverId, ...tobias })).toMatchObject({ recorded: false });
    const { text } = await open(`/servers/${serverId}?all=1`);
    expect(text).not.toContain(tobias.username);
    all.clock.leap(12 * hour);
    const named = () => database.selectFrom('votes').select('id').where('user_id', '=', tobias.userId).execute();
    await eventually(async () => {
      // Maintenance may have begun before the leap.
      await all.clock.advance(1 * minute);
      expect(await named()).toEqual([]);
    });
    await eventually(async () =>
      expect(await database.selectFrom('member_deletions').selectAll().execute()).toEqual([]),
    );
    expect(await votesOf(database, serverId)).toBe(votes);
  });
});

/** Counted from the votes themselves. */
async function votesOf(database: Database, listingId: string): Promise<number> {
  const rows = await database.selectFrom('votes').select('id').where('listing_id', '=', listingId).execute();
  return rows.length;
}

test('a member who owns a listing has to delete it first', async () => {
  const all = await running();
  const { send, open } = await visit(all, ownerId);
  expect((await send('/your-data/delete', { confirm: 'yes' })).status).toBe(409);
  expect((await open('/your-data')).status).toBe(200);
});
