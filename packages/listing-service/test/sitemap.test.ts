import { expect, test } from 'vitest';
import { defaultServerFacts } from '../src/actions/create-listing.ts';
import { openDatabase } from '../src/storage/database.ts';
import { startListingDeletion } from '../src/storage/listings/delete-listing.ts';
import {
  findListing,
  insertListing,
  insertListings,
  updateListing,
  updateListingState,
} from '../src/storage/listings/listings.ts';
import { partsOfPublished, publishedListings } from '../src/storage/listings/published.ts';
import { describeOnBothDatabases } from '../testing/databases.ts';
import { ask, botId, ownerId, type Running, running, serverId } from '../testing/running.ts';
import { visit } from '../testing/visit.ts';

const origin = 'https://list.example';

/** Where the service listens, which links do not name. */
const local = ({ port }: Running) => `http://127.0.0.1:${port}`;

const addressesIn = (xml: string) => [...xml.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address = '']) => address);

async function sitemap(all: Running, path: string) {
  const { status, headers, text } = await ask(local(all) + path);
  expect([status, headers.get('content-type')], path).toEqual([200, 'application/xml; charset=utf-8']);
  return { text, addresses: addressesIn(text) };
}

/** The addresses of all sitemaps that the index names, at this service in place of the public URL. */
async function allAddresses(all: Running): Promise<string[]> {
  const { addresses } = await sitemap(all, '/sitemap.xml');
  const found = await Promise.all(addresses.map((address) => sitemap(all, address.slice(origin.length))));
  return found.flatMap((each) => each.addresses);
}

async function withDatabase(
  { database: address }: Running,
  act: (database: Awaited<ReturnType<typeof openDatabase>>) => Promise<unknown>,
) {
  const database = await openDatabase(address);
  await act(database);
  await database.destroy();
}

/** Whether a crawler may visit a path, by RFC 9309: the longest matching rule decides, and `*` and `$` are special. */
function mayVisit(robots: string, path: string): boolean {
  const rules = [...robots.matchAll(/^(Allow|Disallow): (\S+)$/gm)].map(([, name, pattern = '']) => {
    const escaped = pattern.replace(/[.+?^{}()|[\]\\]/g, '\\$&').replaceAll('*', '.*');
    return { isAllowed: name === 'Allow', length: pattern.length, regex: new RegExp(`^${escaped}`) };
  });
  const matching = rules.filter(({ regex }) => regex.test(path)).sort((one, other) => other.length - one.length);
  return matching[0]?.isAllowed ?? true;
}

test('the sitemaps name the home page, the legal pages and the published listings, with absolute addresses', async () => {
  const all = await running({ publicUrl: `${origin}/`, face: { imprint: 'Harbour List', terms: 'Be kind.' } });
  expect((await allAddresses(all)).sort()).toEqual(
    ['/', '/imprint', '/privacy', '/terms', `/bots/${botId}`, `/servers/${serverId}`]
      .map((path) => origin + path)
      .sort(),
  );
});

test('a listing that nobody else may see is in no sitemap', async () => {
  const all = await running({ publicUrl: origin });
  await withDatabase(all, async (database) => {
    for (const id of ['1', '2', '3']) {
      await all.service.createListing({ kind: 'bot', discordId: id, name: 'Bot' });
    }
    await updateListingState(database, '1', 'hidden', 'Spam.');
    await updateListingState(database, '2', 'pending', null);
    await startListingDeletion(database, '3', all.clock.now());
    expect(await allAddresses(all)).toEqual([origin, `${origin}/privacy`, serverId, botId].map(toAddress));
    await updateListingState(database, '2', 'published', null);
    await updateListingState(database, botId, 'hidden', null);
    await updateListingState(database, serverId, 'hidden', null);
    // Without servers, there is no sitemap of them: it would not be valid.
    expect(await allAddresses(all)).toEqual([origin, `${origin}/privacy`, '2'].map(toAddress));
  });
  expect((await ask(`${local(all)}/sitemap-servers.xml`)).status).toBe(404);

  function toAddress(text: string): string {
    if (text === origin) return `${origin}/`;
    return text.startsWith(origin) ? text : `${origin}/${text === serverId ? 'servers' : 'bots'}/${text}`;
  }
});

test('a sitemap says when the page of a listing was changed by its owner', async () => {
  const all = await running({ publicUrl: origin });
  const lastmod = async () => /<lastmod>([^<]+)</.exec((await sitemap(all, '/sitemap-bots.xml')).text)?.[1];
  const before = await lastmod();
  expect(before).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  all.clock.leap(60_000);
  await all.service.castVote({ listingId: botId, userId: '5', username: 'mira' });
  expect(await lastmod()).toBe(before);
  const owner = await visit({ service: { url: local(all) } }, ownerId);
  await owner.send(`/dashboard/${botId}`, { name: 'Keeper', description: '', tags: '', servers: '1', shards: '1' });
  expect(Date.parse((await lastmod()) ?? '')).toBeGreaterThanOrEqual(Date.parse(before ?? '') + 60_000);
});

test('robots.txt keeps crawlers from every page that is for members, and from no other', async () => {
  const all = await running({ publicUrl: origin });
  const { text, headers } = await ask(`${local(all)}/robots.txt`);
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(text).toContain(`Sitemap: ${origin}/sitemap.xml\n`);
  for (const address of [...(await allAddresses(all)), `${origin}/badge/${botId}.svg`, `${origin}/?tag=chess`]) {
    expect(mayVisit(text, address.slice(origin.length)), address).toBe(true);
  }
  const owner = await visit({ service: { url: local(all) } }, ownerId);
  const pages = ['/', `/servers/${serverId}`, `/bots/${botId}`, '/dashboard', `/dashboard/${serverId}`, '/your-data'];
  const links = new Set<string>();
  for (const page of pages) {
    for (const [, link = ''] of (await owner.open(page)).text.matchAll(/href="(\/[^"#]*)/g)) links.add(link);
  }
  const forMembers: string[] = [];
  for (const link of links) {
    const { status, headers } = await ask(local(all) + link);
    const isForMembers = status === 303 && (headers.get('location') ?? '').startsWith('/sign-in');
    if (isForMembers) forMembers.push(link);
    if (isForMembers || link.startsWith('/sign-in')) expect(mayVisit(text, link), link).toBe(false);
  }
  expect(forMembers.length).toBeGreaterThan(10);
  for (const path of ['/api/v1/server', '/moderation', '/connect/connect_x', `/servers/${serverId}/reviews/1/report`]) {
    expect(mayVisit(text, path), path).toBe(false);
  }
});

test('an unknown part is not found', async () => {
  const { service } = await running();
  for (const after of ['99999999999999999999', 'x', '-1', '1&after=2', '%00']) {
    expect((await ask(`${service.url}/sitemap-servers.xml?after=${after}`)).status, after).toBe(404);
  }
});

const newServer = (id: string) => {
  const listing = { id, kind: 'server', name: id, description: '', tags: [], ownerId: '1', createdAt: 0 } as const;
  return { ...listing, facts: defaultServerFacts };
};

test('a sitemap has at most 50,000 addresses, and together they have each listing once', async () => {
  const all = await running({ publicUrl: origin });
  const ids = Array.from({ length: 50_000 }, (_, index) => `${900_000 + index}`);
  await withDatabase(all, async (database) => {
    for (let at = 0; at < ids.length; at += 1_000) {
      await insertListings(database, ids.slice(at, at + 1_000).map(newServer));
    }
  });
  const { addresses } = await sitemap(all, '/sitemap.xml');
  const servers = addresses.filter((address) => address.includes('servers'));
  expect(servers).toHaveLength(2);
  const parts = await Promise.all(servers.map((address) => sitemap(all, address.slice(origin.length))));
  expect(parts.map((part) => part.addresses.length)).toEqual([50_000, 1]);
  const expected = [serverId, ...ids].map((id) => `${origin}/servers/${id}`);
  expect(new Set(parts.flatMap((part) => part.addresses))).toEqual(new Set(expected));
});

describeOnBothDatabases('published listings', (newDatabase) => {
  test('are divided by id, with the time of their last change', async () => {
    const database = await openDatabase(newDatabase());
    for (const id of ['11', '12', '13', '14', '15', '21', '22']) await insertListing(database, newServer(id));
    const partsOf = async () => {
      const parts = await partsOfPublished(database, 'server', 3);
      const read = async (after: string) => {
        const found: string[] = [];
        for await (const batch of publishedListings(database, 'server', { after, limit: 3 })) {
          found.push(...batch.map(({ id, updatedAt }) => `${id} ${updatedAt}`));
        }
        return found;
      };
      return { parts, listings: await Promise.all(parts.map(read)) };
    };
    expect(await partsOf()).toEqual({
      parts: ['', '13', '21'],
      listings: [['11 0', '12 0', '13 0'], ['14 0', '15 0', '21 0'], ['22 0']],
    });
    const changed = await findListing(database, '12');
    if (changed) await updateListing(database, changed, 7);
    await updateListingState(database, '22', 'hidden', null);
    expect(await partsOf()).toEqual({
      parts: ['', '13'],
      listings: [
        ['11 0', '12 7', '13 0'],
        ['14 0', '15 0', '21 0'],
      ],
    });
    expect(await partsOfPublished(database, 'bot', 3)).toEqual([]);
    await database.destroy();
  });
});
