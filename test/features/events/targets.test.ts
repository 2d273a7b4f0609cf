import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@tallyhook/platform/clock';
import type { Address, TargetPolicy } from '@tallyhook/platform/webhooks/target';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { createMetrics } from '../../../src/core/metrics.ts';
import { createDirectory } from '../../../src/features/communities/directory.ts';
import { webhookEndpoints } from '../../../src/features/events/event.ts';
import { WebhookSender } from '../../../src/features/events/sender.ts';
import { openStore } from '../../../src/features/store.ts';
import { communityIdsOf, firstCommunity } from '../../support/communities.ts';
import { environmentWith, harbour } from '../../support/listings-file.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';

const answers: Readonly<Record<string, readonly string[]>> = {
  'mixed.example': ['93.184.215.14', '10.0.0.7'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'zone.example': ['fe80::1%lo'],
  'public.example': ['93.184.215.14'],
};

const toAddress = (address: string): Address => ({ address, family: address.includes(':') ? 6 : 4 });

/** Names that are not in the table are this machine. */
const resolve = async (host: string) => (answers[host] ?? ['127.0.0.1']).map(toAddress);

/** Sends a test to a URL as to an endpoint of a community. */
async function sending(policy: Partial<TargetPolicy>) {
  const store = await openStore(newSqliteUrl(), systemClock, { thread: false });
  const { listings } = loadConfig(environmentWith([harbour]));
  const [community] = createDirectory(listings, communityIdsOf(listings)).communities;
  if (community === undefined) throw new Error('no community');
  const communities: (typeof community)[] = [];
  const sender = new WebhookSender({
    ...{ store, directory: { communities }, metrics: createMetrics(), clock: systemClock },
    targets: { allowLoopback: false, resolve, ...policy },
  });
  onTestFinished(async () => {
    sender.close();
    await store.close();
  });
  return async (url: string) => {
    const endpoint = { id: 'e', url, secrets: ['the-secret-of-the-webhook'], events: null };
    const own = community.listings.map((listing) => ({ ...listing, ...webhookEndpoints.as([endpoint]) }));
    communities.splice(0, 1, { ...community, listings: own });
    return sender.test(firstCommunity, 'e');
  };
}

/** A server of this machine that counts its connections. */
async function localServer(status = 204, location = '') {
  const seen = { connections: 0, requests: 0 };
  const server = createServer((_request, response) => {
    seen.requests += 1;
    response.writeHead(status, location === '' ? {} : { location }).end();
  });
  server.on('connection', () => {
    seen.connections += 1;
  });
  await once(server.listen(0), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { seen, port: (server.address() as AddressInfo).port };
}

/** This machine, as the servers of the test can be reached there. */
const here = '127.0.0.1 0x7f.1 %31%32%37.0.0.1 0.0.0.0 [::1] [::ffff:7f00:1] localhost mapped.example'.split(' ');

/** Other private/** Other private addresses, and addresses in which one is hidden. */
const elsewhere =
  '10.0.0.1 169.254.169.254 [64:ff9b::a9fe:a9fe] [fd00:ec2::254] mixed.example zone.example 192.0.0.192 198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255 [fec0::1] [2001:db8::1] [100::1]'.split(
    ' ',
  );

test('private addresses get nothing, in whatever form, unless the operator lets them in', async () => {
  const { seen, port } = await localServer();
  const send = await sending({});
  const sneaky = ['user:word@public.example', 'public.example@127.0.0.1', 'public.example:22'];
  for (const url of [...here.map((host) => `${host}:${port}`), ...elsewhere, ...sneaky]) {
    expect(await send(`https://${url}/`), url).toMatchObject({
      ...{ status: null, response: null },
      error: expect.stringMatching(/not on the public internet|must not contain a user name|not for web servers/),
    });
  }
  for (const host of here) {
    expect((await send(`http://${host}:${port}/`))?.error, host).toBe('The URL must begin with https://.');
  }
  expect(seen).toEqual({ connections: 0, requests: 0 });
  // They are what they seem: an operator can have events sent to each.
  const sendAnywhere = await sending({ allowPrivate: true });
  for (const host of here)
    expect(await sendAnywhere(`http://${host}:${port}/`), host).toMatchObject({ status: 204, error: null });
});

test('a host is checked at every attempt, as its address may have changed', async () => {
  const { seen, port } = await localServer();
  // Nobody has this address.
  let address = '2d00::1';
  const send = await sending({ resolve: async () => [toAddress(address)] });
  const url = `https://rebinding.example:${port}/`;
  expect((await send(url))?.error).not.toContain('public internet');
  address = '127.0.0.1';
  expect((await send(url))?.error).toBe('The host rebinding.example is not on the public internet.');
  expect(seen.connections).toBe(0);
});

test('a redirect is not followed', async () => {
  const status = 307;
  const trap = await localServer();
  const { port, seen } = await localServer(status, `http://127.0.0.1:${trap.port}/`);
  const send = await sending({ allowLoopback: true });
  const sent = await send(`http://127.0.0.1:${port}/`);
  expect(sent).toMatchObject({ status, error: expect.stringContaining('redirects are not followed') });
  expect([seen.requests, trap.seen.connections]).toEqual([1, 0]);
});

test('a name server that does not answer fails the attempt before its lease ends', async () => {
  const send = await sending({ resolve: () => new Promise(() => {}) });
  const sent = await send('https://dead.example/');
  expect(sent).toMatchObject({ status: null, error: 'The host dead.example cannot be resolved.' });
  expect(sent?.durationMs).toBeLessThan(5_000);
});
