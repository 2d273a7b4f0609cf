import { describe, expect, it } from 'vitest';
import { type ListingWithSecrets, withoutSecrets } from '../../src/core/receiving/listing.ts';
import { createKeyring } from '../../src/webhook/keyring.ts';
import { sign } from '../../src/webhook/signature.ts';
import { serverAndBot } from '../support/listings.ts';
import { interfaces, startReceiver } from '../support/start-receiver.ts';

const [server] = serverAndBot() as [ListingWithSecrets, ListingWithSecrets];
const named = (name: string, changes: Partial<ListingWithSecrets> = {}): ListingWithSecrets => ({
  ...server,
  ...{ name, id: null, voteSecrets: [`${name}-vote`], premiumSecrets: [`${name}-premium`] },
  ...changes,
});
const [mine, linked] = [named('mine'), named('server-1a2b', { linked: true })];
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

  it('rejects other methods, and quarantines what cannot be processed', async () => {
    const { post } = await start();
    const path = '/webhooks/server-1a2b/vote';
    expect((await post(path, test, { method: 'GET' })).status).toBe(405);
    expect((await post(path, { type: 'strange' }, vote)).json).toMatchObject({ outcome: 'quarantined' });
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

describe('the keyring', () => {
  const body = Buffer.from('{}');
  const received = { bytes: body, text: '{}', json: {} };
  const signedBy = (secret: string) => sign(body, secret);

  it('has a listing from the moment it is added until it is removed', async () => {
    const keyring = createKeyring([mine], withoutSecrets);
    const verify = (secret: string) => keyring.verify(received, signedBy(secret), 'vote', 'server-1a2b');
    expect([keyring.has('server-1a2b'), await verify('server-1a2b-vote')]).toEqual([false, null]);
    keyring.replace([mine, linked]);
    expect(await verify('server-1a2b-vote')).toMatchObject({ scopes: [{ listing: { name: 'server-1a2b' } }] });
    keyring.replace([mine, { ...linked, voteSecrets: ['another-secret'] }]);
    expect(await verify('server-1a2b-vote')).toBe(null);
    expect(await verify('another-secret')).toMatchObject({ scopes: [{ family: 'vote' }] });
    keyring.replace([mine]);
    expect([keyring.has('server-1a2b'), await verify('another-secret')]).toEqual([false, null]);
    expect(await keyring.verify(received, signedBy('mine-vote'), 'vote')).toMatchObject({ text: '{}' });
  });

  it('accepts unsigned votes at the address of the listing that permits them', () => {
    const keyring = createKeyring([mine, { ...linked, voteAuthorization: 'Bearer x' }], withoutSecrets);
    expect(keyring.authorize('Bearer x', 'server-1a2b')).toHaveLength(1);
    expect([keyring.authorize('Bearer x', 'mine'), keyring.authorize('Bearer x')]).toEqual([[], []]);
  });
});
