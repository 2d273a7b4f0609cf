import { minute } from '@tallyhook/platform/durations';
import { createLog } from '@tallyhook/platform/log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { expect, it } from 'vitest';
import { createPictures } from '../../src/discord/pictures.ts';
import { serve } from '../support/start-receiver.ts';

const jpeg = Buffer.from('ffd8ffe000104a46', 'hex');
const type = { 'content-type': 'image/jpeg' };
const picture = { type: 'image/jpeg', bytes: jpeg };

/** A CDN on this machine, whose answer depends on the hash, and the pictures that are read from it. */
async function start() {
  const requested: string[] = [];
  const clock = manualClock(0);
  const url = await serve((request, response) => {
    const address = request.url ?? '';
    requested.push(address);
    if (address.includes('/good.jpg')) response.writeHead(200, type).end(jpeg);
    else if (address.includes('/page.jpg')) response.writeHead(200, { 'content-type': 'text/html' }).end(jpeg);
    else if (address.includes('/liar.jpg')) response.writeHead(200, type).end('<html>');
    else if (address.includes('/large.jpg')) response.writeHead(200, type).end(Buffer.alloc(40_000, jpeg));
    else if (address.includes('/moved.jpg')) response.writeHead(302, { location: '/avatars/2/good.jpg' }).end();
    else response.writeHead(404).end();
  });
  const pictures = createPictures({
    reader: {
      avatar: async (_guildId, userId) => {
        if (userId === 'unreachable') throw new Error('Discord is down');
        return userId === 'none' ? null : { hash: userId, isOfGuild: userId === 'good' };
      },
      guild: async (id) => ({ id, name: '', ownerId: '', locale: null, roles: [], icon: id === 'none' ? null : id }),
    },
    apiUrl: `${url}/api`,
    clock,
    log: createLog({ level: 'silent', secrets: [] }),
  });
  return { pictures, requested, clock };
}

it('a picture is read once, in a small size, at an address of what Discord has said', async () => {
  const { pictures, requested } = await start();
  const both = await Promise.all([pictures.ofMember('1', 'good'), pictures.ofMember('1', 'good')]);
  expect([...both, await pictures.ofMember('1', 'good')]).toEqual([picture, picture, picture]);
  expect(await pictures.ofGuild('good')).toEqual(picture);
  expect(requested).toEqual(['/guilds/1/users/good/avatars/good.jpg?size=64', '/icons/good/good.jpg?size=128']);
});

it('nothing else than a small picture is passed on, and no redirect is followed', async () => {
  const { pictures, requested } = await start();
  for (const hash of ['page', 'liar', 'large', 'moved', 'missing', 'none', 'unreachable']) {
    expect(await pictures.ofMember('1', hash), hash).toBeNull();
  }
  expect(await pictures.ofGuild('none')).toBeNull();
  expect(requested.filter((address) => address.includes('good'))).toEqual([]);
});

it('a picture that was not served is requested again after a minute', async () => {
  const { pictures, requested, clock } = await start();
  for (const wait of [0, minute - 1, 1]) {
    await clock.advance(wait);
    await pictures.ofMember('1', 'missing');
  }
  expect(requested.length).toBe(2);
});
