import type { Router } from 'express';
import { expect, test } from 'vitest';
import type { PageDependencies } from '../src/pages/page-routes.ts';
import { pagesRouter } from '../src/pages/router.ts';
import { openDatabase } from '../src/storage/database.ts';
import { ask, mira, ownerId, type Running, receiver, running, serverId } from '../testing/running.ts';
import { visit } from '../testing/visit.ts';

interface Layer {
  readonly route?: { readonly path: string | string[]; readonly methods: Readonly<Record<string, boolean>> };
  readonly handle: { readonly stack?: readonly Layer[] };
}

/** `GET /dashboard/:id`, … of every page and form. */
function routes(): string[] {
  const dependencies = { actAsMembers: true, discord: null, challenge: null, face: {}, origin: 'http://127.0.0.1' };
  const router: Router = pagesRouter(dependencies as PageDependencies);
  const walk = (stack: readonly Layer[]): string[] =>
    stack.flatMap(({ route, handle }) =>
      route
        ? [route.path]
            .flat()
            .flatMap((path) => Object.keys(route.methods).map((name) => `${name.toUpperCase()} ${path}`))
        : walk(handle.stack ?? []),
    );
  return walk(router.stack as unknown as Layer[]);
}

const open = new Set([
  'GET /assets/service.css',
  'GET /assets/icon.svg',
  'GET /assets/copy.js',
  'GET /privacy',
  'GET /',
  'GET /servers/:id',
  'GET /bots/:id',
  'GET /listings/:id/icon',
  'GET /listings/:id/preview.png',
  'GET /badge/:id.svg',
  'GET /robots.txt',
  'GET /sitemap.xml',
  'GET /sitemap-pages.xml',
  'GET /sitemap-servers.xml',
  'GET /sitemap-bots.xml',
  'GET /sign-in',
  'POST /sign-in',
  'GET /sign-in/:token',
  'POST /sign-in/:token',
]);

const rest = routes().filter((route) => !open.has(route));
const ofOwners = rest.filter((route) => route.includes('/dashboard/:id'));

/** Paths with ids that exist. */
async function existing({ service, database: address }: Running): Promise<(route: string, id?: string) => string> {
  const { url } = await receiver();
  await service.setWebhook(serverId, { voteUrl: url, premiumUrl: url });
  await service.testWebhook(serverId, 'vote');
  const [delivery] = await service.deliveries(serverId);
  const database = await openDatabase(address);
  const find = (table: 'reviews' | 'keys') =>
    database.selectFrom(table).select('id').where('listing_id', '=', serverId).limit(1).executeTakeFirstOrThrow();
  const [review, key] = [await find('reviews'), await find('keys')];
  await database.destroy();
  return (route, id = serverId) =>
    route
      .replace(/^\w+ /, '')
      .replace(':id', id)
      .replace(':reviewId', String(review.id))
      .replace(':keyId', String(key.id))
      .replace(':deliveryId', delivery?.id ?? '')
      .replace(':family', 'vote');
}

/** Somebody who has reviewed the server, and is neither its owner nor mira. */
async function author({ database: address }: Running) {
  const database = await openDatabase(address);
  const authors = database.selectFrom('reviews').select('user_id').where('user_id', 'not in', [ownerId, mira.userId]);
  const found = await authors.where('listing_id', '=', serverId).executeTakeFirstOrThrow();
  await database.destroy();
  return found;
}

test('there are routes to check', () => {
  expect(rest.length).toBeGreaterThan(30);
  expect(ofOwners.length).toBeGreaterThan(20);
});

test('every other page asks visitors to sign in, and every other form needs a session with its CSRF token', async () => {
  const all = await running();
  const path = await existing(all);
  const owner = await visit(all, ownerId);
  const before = await all.service.listings();
  for (const route of rest) {
    const isForm = route.startsWith('POST ');
    const isModeration = route.includes('/moderation');
    const signedOut = await ask(all.service.url + path(route), isForm ? { method: 'POST', body: 'name=x' } : {});
    if (isModeration) expect(signedOut.status, route).toBe(404);
    else if (isForm) expect(signedOut.status, route).toBe(403);
    else expect(signedOut.headers.get('location'), route).toMatch(/^\/sign-in\?next=/);
    if (!isForm) continue;
    const forged = await owner.send(path(route), {
      token: 'forged',
      name: 'Lantern Harbour',
      label: 'x',
      confirm: 'yes',
    });
    expect(forged.status, route).toBe(isModeration ? 404 : 403);
  }
  expect(await all.service.listings()).toEqual(before);
});

test('the dashboard of a listing is for its owner only, and unknown or odd ids are not found', async () => {
  const all = await running();
  const path = await existing(all);
  const [owner, other] = [await visit(all, ownerId), await visit(all, mira.userId)];
  const fields = { name: 'Lantern Harbour', label: 'x', url: 'http://127.0.0.1:1/', reply: 'x' };
  for (const route of ofOwners) {
    const send = (by: typeof owner, id?: string) =>
      route.startsWith('POST ') ? by.send(path(route, id), fields) : by.open(path(route, id));
    expect((await send(other)).status, route).toBe(404);
    for (const id of ['1', '%00', 'x'.repeat(3_000)]) expect((await send(owner, id)).status, route).toBe(404);
  }
  expect((await all.service.listings()).map(({ name }) => name)).toContain('Lantern Harbour');
});

/** What only the owner decides. */
const ofOwnerAlone = new Set([
  'POST /dashboard/:id/owners',
  'POST /dashboard/:id/owners/remove',
  'POST /dashboard/:id/owners/transfer',
  'POST /dashboard/:id/delete',
]);

test('a co-owner may open and send whatever the owner alone does not decide, until the owner ends it', async () => {
  const all = await running();
  const path = await existing(all);
  const [owner, coOwner] = [await visit(all, ownerId), await visit(all, mira.userId)];
  const added = await owner.send(`/dashboard/${serverId}/owners`, mira);
  expect(added.status).toBe(303);
  const fields = {
    ...{ name: 'Lantern Harbour', label: 'x', url: 'http://127.0.0.1:65533/', reply: 'x', userId: '5' },
    ...{ description: '', tags: '', rules: '', invite: '' },
  };
  const send = (route: string) =>
    route.startsWith('POST ') ? coOwner.send(path(route), fields) : coOwner.open(path(route));
  // What takes something away is last, and leaving is the last of all.
  const order = (route: string) => ['revoke', 'remove', 'delete', 'leave'].findIndex((word) => route.includes(word));
  for (const route of ofOwners.toSorted((one, other) => order(one) - order(other))) {
    if (route.endsWith('/leave')) continue;
    const { status } = await send(route);
    if (ofOwnerAlone.has(route)) expect(status, route).toBe(403);
    // The form of an icon has no picture, and the keys and webhooks are gone at the end.
    else if (/\/icon$/.test(route)) expect(status, route).toBe(400);
    else expect([200, 303], `${route}: ${status}`).toContain(status);
  }
  expect((await all.service.listings()).find(({ id }) => id === serverId)?.ownerId).toBe(ownerId);
  expect((await owner.send(`/dashboard/${serverId}/owners/remove`, mira)).status).toBe(303);
  for (const route of ofOwners) expect((await send(route)).status, route).toBe(404);
});

test('a key, a delivery or a review of another listing is not found below the own one', async () => {
  const all = await running();
  const path = await existing(all);
  const { listing } = await all.service.createListing({ kind: 'server', discordId: '7', name: 'Other', ownerId });
  const owner = await visit(all, ownerId);
  for (const route of ofOwners.filter((each) => /:keyId|:deliveryId|:reviewId/.test(each))) {
    const below = path(route, listing.id);
    const { status } = route.startsWith('POST ') ? await owner.send(below, { reply: 'x' }) : await owner.open(below);
    expect(status, route).toBe(404);
  }
  expect((await all.get('/server', { 'X-API-Key': all.keys.server })).status).toBe(200);
});

test('only the owner sees a hidden listing, with the reason, and authors can delete their reviews', async () => {
  const all = await running();
  const database = await openDatabase(all.database);
  const change = { state: 'hidden' as const, state_reason: 'Spam <b>' };
  await database.updateTable('listings').set(change).where('id', '=', serverId).execute();
  await database.destroy();
  const [owner, other] = [await visit(all, ownerId), await visit(all, mira.userId)];
  const { user_id: authorId } = await author(all);
  const removal = await (await visit(all, authorId)).send(`/servers/${serverId}/reviews/delete`, {});
  expect([removal.status, removal.headers.get('location')]).toEqual([303, '/your-data?notice=review-deleted']);
  expect((await other.open(`/servers/${serverId}`)).status).toBe(404);
  expect((await other.send(`/servers/${serverId}/vote`, {})).status).toBe(404);
  expect((await owner.send(`/servers/${serverId}/vote`, {})).status).toBe(404);
  expect((await other.open('/')).text).not.toContain('Lantern Harbour');
  expect((await owner.open(`/servers/${serverId}`)).text).toContain('Spam &#60;b&#62;');
  expect((await owner.open(`/dashboard/${serverId}`)).text).toContain('Spam &#60;b&#62;');
});
