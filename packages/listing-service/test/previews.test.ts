import { decodePng } from '@tallyhook/platform/testing/png';
import { expect, test } from 'vitest';
import { drawableName } from '../src/pages/previews/listing-picture.ts';
import { openDatabase } from '../src/storage/database.ts';
import { deleteIcon, saveIcon } from '../src/storage/listings/icons.ts';
import { updateListingState } from '../src/storage/listings/listings.ts';
import { ask, botId, mira, type Running, running, serverId } from '../testing/running.ts';

const badgePath = `/badge/${serverId}.svg`;
const picturePath = `/listings/${serverId}/preview.png`;

async function withDatabase(
  { database: address }: Running,
  act: (database: Awaited<ReturnType<typeof openDatabase>>) => Promise<unknown>,
) {
  const database = await openDatabase(address);
  await act(database);
  await database.destroy();
}

test('a badge has the votes of the month, in the language that its address names, for any site and without a cookie', async () => {
  const { service } = await running();
  const shown = await ask(service.url + badgePath, {
    headers: { 'accept-language': 'de', 'sec-fetch-site': 'cross-site' },
  });
  expect(Object.fromEntries(shown.headers)).toMatchObject({
    'content-type': 'image/svg+xml; charset=utf-8',
    'cache-control': 'public, max-age=300',
    'cross-origin-resource-policy': 'cross-origin',
    'content-security-policy': "default-src 'none'; sandbox",
  });
  expect(shown.headers.get('set-cookie')).toBeNull();
  expect(shown.text).toContain('>0 votes this month<');
  expect(shown.text).toContain('<title>Vote for Lantern Harbour</title>');
  const etag = shown.headers.get('etag') ?? '';
  const again = () =>
    ask(service.url + badgePath, { headers: { 'if-none-match': etag, 'cache-control': 'max-age=0' } });
  expect((await again()).status).toBe(304);
  await service.castVote({ listingId: serverId, ...mira });
  expect((await again()).text).toContain('>1 vote this month<');
  expect((await ask(`${service.url}${badgePath}?lang=de`)).headers.get('set-cookie')).toBeNull();
  for (const lang of ['xx', '%00', '<b>']) {
    expect((await ask(`${service.url}${badgePath}?lang=${lang}`)).text).toContain('Vote for us');
  }
});

test('a badge contains no markup of a name', async () => {
  const { service } = await running();
  const name = `"><script>alert(1)</script>&'`;
  await service.createListing({ kind: 'server', discordId: '5', name });
  const { text } = await ask(`${service.url}/badge/5.svg`);
  expect(text).not.toContain('<script');
  expect(text).toContain('&#60;script&#62;');
});

test('only a published listing has a badge, a picture and tags for previews', async () => {
  const all = await running();
  const page = `/servers/${serverId}`;
  const { text } = await ask(all.service.url + page);
  const [, image = ''] = /<meta property="og:image" content="([^"]+)">/.exec(text) ?? [];
  expect(image).toContain(all.service.url + picturePath);
  expect(text).toContain(`<meta property="og:url" content="${all.service.url}${page}">`);
  expect(text).toContain('<meta property="og:title" content="Lantern Harbour">');
  expect(text).toContain('<meta name="twitter:card" content="summary_large_image">');
  expect((await ask(image)).status).toBe(200);
  await withDatabase(all, (database) => updateListingState(database, serverId, 'hidden', null));
  for (const path of [badgePath, picturePath, '/badge/5.svg', '/badge/x.svg', '/listings/x/preview.png']) {
    expect((await ask(all.service.url + path)).status, path).toBe(404);
  }
});

async function picture({ service }: Running, path = picturePath) {
  const response = await fetch(service.url + path);
  return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
}

test('the picture of a listing is drawn again when it changes', async () => {
  const all = await running();
  const first = await picture(all);
  expect([first.response.status, first.response.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(first.response.headers.get('cache-control')).toBe('public, max-age=600');
  const { width, height } = decodePng(first.bytes);
  expect([width, height]).toEqual([1_200, 630]);
  const etag = first.response.headers.get('etag') ?? '';
  const again = () =>
    fetch(all.service.url + picturePath, { headers: { 'if-none-match': etag, 'cache-control': 'max-age=0' } });
  expect((await again()).status).toBe(304);
  await all.service.castVote({ listingId: serverId, ...mira });
  expect((await again()).status).toBe(200);
  expect((await picture(all)).bytes).not.toEqual(first.bytes);
  const others = await Promise.all(Array.from({ length: 8 }, () => picture(all, `/listings/${botId}/preview.png`)));
  expect(new Set(others.map(({ bytes }) => Buffer.from(bytes).toString('base64'))).size).toBe(1);
});

test('the picture has the icon, unless it is broken or takes long to decode', async () => {
  const all = await running();
  const icons = {
    // Two by two pixels, red.
    png: Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==',
      'base64',
    ),
    // A screen of 64 pixels with a frame of 60,000.
    gif: Buffer.from('4749463839614000400080000000000000ffffff2c0000000060ea60ea0002024c01003b', 'hex'),
  };
  const pixelWith = async (bytes: Buffer | null, type: string) => {
    await withDatabase(all, (database) =>
      bytes === null ? deleteIcon(database, serverId) : saveIcon(database, serverId, { type, bytes }),
    );
    return decodePng((await picture(all)).bytes).colorAt(120, 120);
  };
  const tint = await pixelWith(null, '');
  expect(await pixelWith(icons.png, 'image/png')).toBe('#ff0000');
  expect(await pixelWith(icons.png.subarray(0, 50), 'image/png')).toBe(tint);
  expect(await pixelWith(icons.gif, 'image/gif')).toBe(tint);
});

test('what the font cannot draw is left out of the picture, and a name with foreign letters as a whole', () => {
  expect(drawableName('Café ✦ Zoë 🎉 Lounge')).toBe('Café Zoë Lounge');
  expect(drawableName('Мир Игры')).toBe('Мир Игры');
  expect(drawableName('雪 Harbour')).toBe('');
  expect(drawableName('ملتقى')).toBe('');
  expect(drawableName('🎉🎉')).toBe('');
  expect(drawableName('Vilnius ir Šiauliai')).toBe('Vilnius ir Šiauliai');
});

test('names of every script have a picture', async () => {
  const all = await running();
  for (const [index, name] of [
    'ملتقى المبدعين',
    '雪の港',
    '🎉',
    'W'.repeat(100),
    'हिन्दी',
    'e\u0301'.repeat(50),
  ].entries()) {
    await all.service.createListing({ kind: 'bot', discordId: `${index + 1}`, name });
    expect((await picture(all, `/listings/${index + 1}/preview.png`)).response.status, name).toBe(200);
  }
});
