import { describe, expect, it } from 'vitest';
import { findAddress } from '../../src/core/receiving/intake.ts';
import type { ListingWithSecrets } from '../../src/core/receiving/listing.ts';
import { sign } from '../../src/webhook/signature.ts';
import { serverAndBot } from '../support/listings.ts';
import { directoryOf, interfaces, startReceiver } from '../support/start-receiver.ts';

const [server] = serverAndBot();
const named = (name: string, changes: Partial<ListingWithSecrets> = {}): ListingWithSecrets => ({
  ...server,
  ...{ name, id: null, voteSecrets: [`${name}-vote`], premiumSecrets: [`${name}-premium`] },
  ...changes,
});
const [mine, linked] = [named('mine'), named('server-1a2b', { ownAddress: true })];
const test = { type: 'test', query: {}, isTest: true };

describe.each(interfaces)('the address of a listing (through %s)', (through) => {
  const start = () => startReceiver({ listings: [mine, linked], through });
  const vote = { secret: 'server-1a2b-vote' };

  it('accepts deliveries that are signed with its secrets only', async () => {
    const { post } = await start();
    const statusOf = async (path: string, secret: string) => (await post(path, test, { secret })).status;
    for (const path of ['/webhooks/server-1a2b', '/webhooks/server-1a2b/vote', '/webhooks/server-1a2b/vote/']) {
      expect(await statusOf(path, 'server-1a2b-vote'), path).toBe(200);
      expect(await statusOf(path, 'mine-vote'), path).toBe(401);
    }
    expect(await statusOf('/webhooks/server-1a2b/premium', 'server-1a2b-premium')).toBe(200);
    expect(await statusOf('/webhooks/server-1a2b/premium', 'server-1a2b-vote')).toBe(401);
    expect(await statusOf('/webhooks/server-1a2b/vote', 'server-1a2b-premium')).toBe(401);
    expect(await statusOf('/webhooks/mine/vote?source=x', 'mine-vote')).toBe(200);
  });

  it('is the only one at which the secrets of a linked listing are valid', async () => {
    const { post } = await start();
    for (const path of ['/webhooks', '/webhooks/vote']) {
      expect((await post(path, test, vote)).status).toBe(401);
      expect((await post(path, test, { secret: 'mine-vote' })).status).toBe(200);
    }
  });

  it('is matched as the router of Express 5 matches it', async () => {
    const { post, url } = await start();
    for (const path of [
      ...['/WebHooks/server-1a2b', '/webhooks/server-1a2b/', '/webhooks/server-1a2b/VOTE/'],
      ...['/webhooks/server%2D1a2b', '/webhooks/%73erver-1a2b/vote'],
    ])
      expect((await post(path, test, vote)).status, path).toBe(200);
    for (const path of ['/Webhooks/Vote', '/WEBHOOKS/', '/webhooks/VOTE/?x=1'])
      expect((await post(path, test, { secret: 'mine-vote' })).status, path).toBe(200);
    for (const path of ['/webhooks/server-1a2b%2Fvote', '/webhooks/%', '/webhooks/server-1a2b//'])
      expect((await fetch(url + path, { method: 'POST', body: '{}' })).status, path).toBe(404);
  });

  it('is not found if there is no such listing', async () => {
    const { url } = await start();
    const body = JSON.stringify(test);
    const headers = { 'x-webhook-signature': sign(body, 'server-1a2b-vote') };
    for (const path of [
      'nobody',
      'nobody/vote',
      'server-1a2b/votes',
      'server-1a2b/vote/x',
      'SERVER-1A2B',
      '__proto__',
    ]) {
      expect((await fetch(`${url}/webhooks/${path}`, { method: 'POST', headers, body })).status, path).toBe(404);
    }
  });
});

describe('the addresses', () => {
  it('are computed once for listings that stay the same, whose context the writer then gets once', () => {
    const directory = directoryOf([mine, linked]);
    for (const name of [null, 'mine']) expect(findAddress(directory, name)).toBe(findAddress(directory, name));
    expect(findAddress(directoryOf([mine]), 'mine')).toBe(findAddress(directory, 'mine'));
  });

  it('accept what replaces a signature only where the listing permits it', () => {
    const directory = directoryOf([mine, { ...linked, voteAuthorization: 'Bearer x' }]);
    const authorizations = [null, 'mine', 'server-1a2b'].map(
      (name) => findAddress(directory, name)?.credentials.authorizations,
    );
    expect(authorizations).toEqual([[], [], ['Bearer x']]);
  });
});
