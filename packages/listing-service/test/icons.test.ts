import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readImageHeader } from '../src/pages/icon-routes.ts';
import { seededIcon } from '../src/seed/icons.ts';
import { ask, mira, ownerId, running, serverId } from '../testing/running.ts';
import { visit } from '../testing/visit.ts';

const path = `/dashboard/${serverId}/icon`;

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(type, 'latin1'), data, Buffer.alloc(4)]);
}

/** The beginning is that of a picture of this size; checksums are left out. */
function png(width: number, height = width): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const data = chunk('IDAT', deflateSync(Buffer.alloc(64)));
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    data,
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const gif = Buffer.from(`${Buffer.from('GIF89a').toString('hex')}40002000f70000${'00'.repeat(8)}`, 'hex');
const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc2001108002000400301110002110103110100', 'hex');
const riff = (form: string, data: string) =>
  Buffer.concat([
    Buffer.from('RIFF\0\0\0\0WEBP', 'latin1'),
    Buffer.from(form),
    Buffer.alloc(4),
    Buffer.from(data, 'hex'),
    Buffer.alloc(20),
  ]);

test('formats and sizes are recognized by the bytes', () => {
  const size = { width: 64, height: 32 };
  expect(readImageHeader(png(64, 32))).toEqual({ type: 'image/png', ...size });
  expect(readImageHeader(gif)).toEqual({ type: 'image/gif', ...size });
  expect(readImageHeader(jpeg)).toEqual({ type: 'image/jpeg', ...size });
  expect(readImageHeader(riff('VP8X', '00000000' + '3f0000' + '1f0000'))).toEqual({ type: 'image/webp', ...size });
  expect(readImageHeader(riff('VP8L', '2f3fc00700'))).toEqual({ type: 'image/webp', ...size });
  expect(readImageHeader(riff('VP8 ', '000000' + '9d012a' + '4000' + '2000'))).toEqual({ type: 'image/webp', ...size });
  for (const other of ['<svg xmlns="http://www.w3.org/2000/svg"/>', '<!doctype html>', 'BM', '%PDF-1.7', ''])
    expect(readImageHeader(Buffer.from(other.padEnd(64)))).toBeNull();
});

test('the seeded listings have pictures of their own', () => {
  const [server, bot] = [seededIcon('server').bytes, seededIcon('bot').bytes];
  for (const bytes of [server, bot])
    expect(readImageHeader(bytes)).toEqual({ type: 'image/png', width: 128, height: 128 });
  expect(server.equals(bot)).toBe(false);
});

test('no bytes make it fail or read past the end', () => {
  const starts = [png(64), gif, jpeg, riff('VP8X', ''), riff('VP8L', '2f'), riff('VP8 ', '0000009d012a')];
  fc.assert(
    fc.property(fc.constantFrom(...starts), fc.nat(60), fc.uint8Array({ maxLength: 80 }), (start, length, rest) => {
      const header = readImageHeader(Buffer.concat([start.subarray(0, length), rest]));
      if (header !== null) expect(header.width * header.height).toBeGreaterThanOrEqual(0);
    }),
  );
});

test('an owner uploads an icon, which everybody sees with headers that allow nothing but a picture', async () => {
  const all = await running();
  const owner = await visit(all, ownerId);
  const upload = (file: Buffer, token = owner.token) => {
    const form = new FormData();
    form.set('token', token);
    form.set('icon', new Blob([new Uint8Array(file)], { type: 'text/html' }), 'page.html');
    return ask(all.service.url + path, { method: 'POST', headers: { cookie: owner.cookie }, body: form });
  };
  expect((await upload(png(64))).headers.get('location')).toContain('notice=icon-saved');
  const icon = /src="(\/listings\/[^"]+)"/.exec((await ask(`${all.service.url}/`)).text)?.[1] ?? '';
  const shown = await ask(all.service.url + icon);
  expect(Object.fromEntries(shown.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'public, max-age=31536000, immutable',
  });
  expect((await upload(png(128))).status).toBe(303);
  const [changed, old] = [await owner.open(`/servers/${serverId}`), await ask(all.service.url + icon)];
  expect(changed.text).not.toContain(icon);
  expect(old.headers.get('cache-control')).toBe('no-cache');

  expect((await upload(Buffer.from('<svg onload="alert(1)"/>'))).status).toBe(400);
  expect((await upload(png(1_025, 16))).text).toContain('1025 × 16');
  expect((await upload(png(15))).status).toBe(400);
  expect((await upload(Buffer.concat([png(64), Buffer.alloc(256 * 1_024)]))).status).toBe(413);
  expect((await upload(Buffer.concat([png(64), Buffer.alloc(2_000_000)]))).status).toBe(413);
  expect((await upload(png(64), 'forged')).status).toBe(403);
  expect((await owner.send(`${path}/remove`, {})).status).toBe(303);
  expect((await ask(all.service.url + icon)).status).toBe(404);
});

test('a broken upload, or one of another member, is rejected', async () => {
  const all = await running();
  const [owner, other] = [await visit(all, ownerId), await visit(all, mira.userId)];
  const post = (cookie: string, type: string, body: string) =>
    ask(all.service.url + path, { method: 'POST', headers: { cookie, 'content-type': type }, body });
  const multipart = 'multipart/form-data; boundary=----boundary';
  const token = (value: string) =>
    `------boundary\r\ncontent-disposition: form-data; name="token"\r\n\r\n${value}\r\n------boundary--\r\n`;
  expect((await post(owner.cookie, multipart, token(owner.token))).status).toBe(400);
  expect((await post(other.cookie, multipart, token(other.token))).status).toBe(404);
  expect((await post('', multipart, token(owner.token))).status).toBe(403);
  for (const body of ['', '------boundary', '------boundary\r\n\r\n', 'x'.repeat(1_000)])
    expect((await post(owner.cookie, multipart, body)).status).toBeOneOf([400, 403]);
  for (const type of ['multipart/form-data', 'multipart/form-data; boundary=', 'application/x-www-form-urlencoded'])
    expect((await post(owner.cookie, type, token(owner.token))).status).toBeOneOf([400, 403]);
});
