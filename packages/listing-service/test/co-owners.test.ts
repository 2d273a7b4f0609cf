import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { maxListingsOfOwner } from '../src/actions/create-listing.ts';
import { openDatabase } from '../src/storage/database.ts';
import {
  addCoOwner,
  findRole,
  lockListingOf,
  maxCoOwners,
  removeCoOwner,
  transferListing,
} from '../src/storage/listings/co-owners.ts';
import { deleteListingRows } from '../src/storage/listings/delete-listing.ts';
import { updateListingState } from '../src/storage/listings/listings.ts';
import { upsertMember } from '../src/storage/members/members.ts';
import { saveProvenGuilds } from '../src/storage/members/proven-guilds.ts';
import { describeOnBothDatabases } from '../testing/databases.ts';
import { ask, mira, ownerId, type Running, receiver, running, serverId, tobias } from '../testing/running.ts';
import { visit } from '../testing/visit.ts';

const dashboard = `/dashboard/${serverId}`;

async function withDatabase<Result>(
  { database: address }: Pick<Running, 'database'>,
  act: (database: Awaited<ReturnType<typeof openDatabase>>) => Promise<Result>,
): Promise<Result> {
  const database = await openDatabase(address);
  const result = await act(database);
  await database.destroy();
  return result;
}

/** A service with mira as a co-owner of the server. */
async function withCoOwner(changes: Parameters<typeof running>[0] = {}) {
  const all = await running(changes);
  const owner = await visit(all, ownerId);
  const coOwner = await visit(all, mira.userId);
  const { status, headers } = await owner.send(`${dashboard}/owners`, { userId: mira.userId });
  expect([status, headers.get('location')]).toEqual([
    303,
    `${dashboard}/owners?notice=co-owner-added&at=owners#result`,
  ]);
  return { all, owner, coOwner };
}

describeOnBothDatabases('co-owners', (newDatabase) => {
  it('edit a listing like its owner, who is listed first and without an id', async () => {
    const { all, owner, coOwner } = await withCoOwner({ database: newDatabase() });
    const page = (await coOwner.open(`${dashboard}/owners`)).text;
    expect(page.indexOf('<bdi>rowan</bdi>')).toBeGreaterThan(0);
    expect(page.indexOf('<bdi>rowan</bdi>')).toBeLessThan(page.indexOf('<bdi>mira</bdi>'));
    const edit = { name: 'Harbour', description: '', tags: '', rules: '' };
    expect((await coOwner.send(dashboard, edit)).status).toBe(303);
    expect((await all.service.listings()).find(({ id }) => id === serverId)?.name).toBe('Harbour');
    const home = (await coOwner.open('/dashboard')).text;
    expect(home).toContain('Harbour');
    expect(home).toContain('Co-owner');
    expect((await owner.open('/dashboard')).text).not.toContain('Co-owner');
    expect((await coOwner.open(`/servers/${serverId}`)).text).toContain(`href="${dashboard}"`);
    for (const path of ['', '/owners', '/delete', '/export', '/reviews', '/statistics', '/deliveries']) {
      const { status, text } = await coOwner.open(dashboard + path);
      expect(status, path).toBe(200);
      expect(text, path).not.toContain(ownerId);
    }
  });

  it('lose their access at once when they are removed, or leave', async () => {
    const { all, owner, coOwner } = await withCoOwner({ database: newDatabase() });
    expect((await owner.send(`${dashboard}/owners/remove`, { userId: mira.userId })).status).toBe(303);
    expect((await coOwner.open(dashboard)).status).toBe(404);
    expect((await coOwner.open('/dashboard')).text).not.toContain('Lantern Harbour');
    expect((await owner.send(`${dashboard}/owners/remove`, { userId: mira.userId })).status).toBe(404);
    await withDatabase(all, async (database) => {
      const may = (userId: string) => database.transaction().execute((sql) => lockListingOf(sql, serverId, userId));
      expect([await may(mira.userId), await may(ownerId)]).toEqual([false, true]);
    });
    await owner.send(`${dashboard}/owners`, { userId: mira.userId });
    const left = await coOwner.send(`${dashboard}/owners/leave`, {});
    expect([left.status, left.headers.get('location')]).toEqual([303, '/dashboard?notice=left-listing']);
    expect((await coOwner.open(dashboard)).status).toBe(404);
    expect((await owner.send(`${dashboard}/owners/leave`, {})).status).toBe(404);
  });

  it('neither decide who edits a listing, nor delete or transfer it', async () => {
    const { all, coOwner } = await withCoOwner({ database: newDatabase() });
    const { text } = await coOwner.open(`${dashboard}/owners`);
    expect(text).not.toContain('Add co-owner');
    expect(text).not.toContain('/owners/remove');
    expect((await coOwner.open(`${dashboard}/delete`)).text).not.toContain('danger-zone');
    for (const [path, fields] of [
      ['/owners', { userId: tobias.userId }],
      ['/owners/remove', { userId: mira.userId }],
      ['/owners/transfer', { userId: mira.userId }],
      ['/delete', { name: 'Lantern Harbour' }],
    ] as const) {
      expect((await coOwner.send(dashboard + path, fields)).status, path).toBe(403);
    }
    expect((await all.service.listings()).find(({ id }) => id === serverId)?.ownerId).toBe(ownerId);
    expect((await (await visit(all, tobias.userId)).open(dashboard)).status).toBe(404);
  });

  it('become owners when the owner transfers the listing, who stays as a co-owner', async () => {
    const { all, owner, coOwner } = await withCoOwner({ database: newDatabase() });
    expect((await owner.send(`${dashboard}/owners/transfer`, { userId: tobias.userId })).status).toBe(404);
    expect((await owner.send(`${dashboard}/owners/transfer`, { userId: mira.userId })).status).toBe(303);
    expect((await all.service.listings()).find(({ id }) => id === serverId)?.ownerId).toBe(mira.userId);
    expect((await owner.send(`${dashboard}/owners`, { userId: tobias.userId })).status).toBe(403);
    expect((await owner.open(dashboard)).status).toBe(200);
    expect((await coOwner.send(`${dashboard}/owners/remove`, { userId: ownerId })).status).toBe(303);
    expect((await owner.open(dashboard)).status).toBe(404);
  });

  it('are no more after the owner of the server on Discord has taken over its listing', async () => {
    const { all, coOwner } = await withCoOwner({ database: newDatabase() });
    const other = await visit(all, tobias.userId);
    const guild = { id: serverId, name: 'Harbour', iconUrl: null, isOwner: true, members: 1, online: 1 };
    await withDatabase(all, (database) => saveProvenGuilds(database, tobias.userId, [guild], all.clock.now()));
    expect((await other.send('/dashboard/new/take-over', { id: serverId })).status).toBe(303);
    expect((await other.open(dashboard)).status).toBe(200);
    expect((await coOwner.open(dashboard)).status).toBe(404);
  });

  it('are added and removed once, also by two processes at the same time', async () => {
    const address = newDatabase();
    const all = await running({ database: address });
    const databases = [await openDatabase(address), await openDatabase(address)] as const;
    const change = { listingId: serverId, ownerId, userId: mira.userId };
    const added = await Promise.all(databases.map((database) => addCoOwner(database, change, all.clock.now())));
    expect(added.toSorted()).toEqual(['added', 'has-access']);
    const options = { now: all.clock.now(), maxListings: maxListingsOfOwner };
    const moved = await Promise.all(databases.map((database) => transferListing(database, change, options)));
    expect(moved.toSorted()).toEqual(['not-owner', 'transferred']);
    const removed = await Promise.all(databases.map((database) => removeCoOwner(database, serverId, ownerId)));
    expect(removed.toSorted((one, other) => Number(one) - Number(other))).toEqual([false, true]);
    await Promise.all(databases.map((database) => database.destroy()));
  });

  it('are members who have signed in, and not too many', async () => {
    const { all, owner } = await withCoOwner({ database: newDatabase() });
    const add = (userId: string) => owner.send(`${dashboard}/owners`, { userId });
    expect((await add('987654321098765432')).text).toContain('has signed in here');
    expect((await add('987654321098765432')).status).toBe(404);
    expect((await add('x')).status).toBe(400);
    expect((await add(mira.userId)).status).toBe(409);
    expect((await add(ownerId)).status).toBe(409);
    for (let member = 1; member <= maxCoOwners; member += 1) {
      await withDatabase(all, (database) => upsertMember(database, { userId: `${member}`, username: '<b>x</b>' }));
      expect((await add(`${member}`)).status).toBe(member < maxCoOwners ? 303 : 409);
    }
    expect((await owner.open(`${dashboard}/owners`)).text).not.toContain('<b>x</b>');
  });

  it('are part of the data of a member and of a listing, and are deleted with either', async () => {
    const { all, owner, coOwner } = await withCoOwner({ database: newDatabase() });
    const rows = () =>
      withDatabase(all, (database) => database.selectFrom('co_owners').select(['listing_id', 'user_id']).execute());
    const data = (await coOwner.open('/your-data/export')).json;
    expect(data['coOwnerOf']).toEqual([
      { id: serverId, kind: 'server', name: 'Lantern Harbour', addedAt: new Date(all.clock.now()).toISOString() },
    ]);
    expect((await coOwner.open('/your-data')).text).toContain(`href="${dashboard}/owners"`);
    expect((await coOwner.send('/your-data/delete', { confirm: 'yes' })).status).toBe(303);
    expect(await rows()).toEqual([]);
    // The same member, who signs in again.
    await withDatabase(all, (database) => upsertMember(database, mira));
    const again = await visit(all, mira.userId);
    expect((await again.open(dashboard)).status).toBe(404);

    await owner.send(`${dashboard}/owners`, { userId: tobias.userId });
    expect(await rows()).toHaveLength(1);
    await owner.send(`${dashboard}/delete`, { name: 'Lantern Harbour' });
    expect((await (await visit(all, tobias.userId)).open('/dashboard')).text).not.toContain('Lantern Harbour');
    await withDatabase(all, deleteListingRows);
    expect(await rows()).toEqual([]);
  });
});

describe('a co-owner', () => {
  it('sees a hidden listing with its icon, which others do not', async () => {
    const { all, coOwner } = await withCoOwner();
    await withDatabase(all, (database) => updateListingState(database, serverId, 'hidden', 'Spam.'));
    expect((await coOwner.open(`/servers/${serverId}`)).text).toContain('Spam.');
    expect((await (await visit(all, tobias.userId)).open(`/servers/${serverId}`)).status).toBe(404);
  });

  it('connects a bot, unless the owner ends it before the bot has the keys', async () => {
    const { all, owner, coOwner } = await withCoOwner();
    const origin = 'http://127.0.0.1:8099';
    const verifier = 'v'.repeat(43);
    const body = {
      name: 'Bot',
      guild: serverId,
      member: mira.userId,
      redirect_uri: `${origin}/back`,
      state: 'state-of-the-tests',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      webhooks: { vote: `${origin}/vote`, premium: `${origin}/premium` },
    };
    const post = (path: string, sent: object) =>
      ask(all.service.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(sent),
      });
    const approve = async () => {
      const { json } = await post('/connect/requests', body);
      const path = new URL(String(json['consent_url'])).pathname;
      expect((await coOwner.open(path)).text).toContain('Lantern Harbour');
      const { headers } = await coOwner.send(path, { decision: 'connect' });
      return new URL(headers.get('location') ?? '').searchParams.get('code');
    };
    const exchange = async (code: string | null) =>
      (await post('/connect/token', { code, code_verifier: verifier, redirect_uri: body.redirect_uri })).status;
    expect(await exchange(await approve())).toBe(200);
    const code = await approve();
    await owner.send(`${dashboard}/owners/remove`, { userId: mira.userId });
    expect(await exchange(code)).toBe(409);
  });

  it('gets no more listings than a member may have, and no access that another listing gives', async () => {
    const { all, owner, coOwner } = await withCoOwner();
    for (let id = 1; id <= maxListingsOfOwner; id += 1) {
      await all.service.createListing({ kind: 'bot', discordId: `${id}`, name: 'Bot', ownerId: mira.userId });
    }
    expect((await owner.send(`${dashboard}/owners/transfer`, { userId: mira.userId })).status).toBe(409);
    expect((await owner.open('/dashboard/1')).status).toBe(404);
    await withDatabase(all, async (database) => {
      expect(await findRole(database, { id: '1', ownerId: mira.userId }, ownerId)).toBeNull();
    });
    const { url, received } = await receiver();
    expect((await coOwner.send(`${dashboard}/webhooks/vote`, { url, secret: '' })).status).toBe(200);
    expect((await coOwner.send(`${dashboard}/webhooks/vote/test`, {})).status).toBe(303);
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({ userId: mira.userId, test: true });
  });
});
