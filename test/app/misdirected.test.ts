import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { createLog } from '@tallyhook/platform/log';
import express from 'express';
import { expect, it, onTestFinished } from 'vitest';
import { createReceiver } from '../../src/app/receiver-app.ts';
import { serve } from '../support/start-receiver.ts';

/** A scrape may be a second old. */
const scrapes = { timeout: 20_000 };
const secret = 'the secret of the vote webhook';

async function start() {
  const lines: string[] = [];
  const log = createLog({ level: 'warn', secrets: [], destination: { write: (line) => void lines.push(line) } });
  const listings = [{ name: 'my-server', kind: 'server', voteSecrets: [secret] }] as const;
  const receiver = await createReceiver({ listings, database: ':memory:', port: 0, log });
  onTestFinished(() => receiver.stop());
  const url = (await receiver.start()) ?? '';
  const count = async (reason: string) => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(new RegExp(`tallyhook_misdirected_total\\{reason="${reason}"\\} (\\d+)`).exec(text)?.[1]);
  };
  return { receiver, url, lines, count };
}

const post = async (address: string) => (await fetch(address, { method: 'POST', body: '{}' })).status;

it('a POST to an address below /webhooks that does not exist is counted, and logged with those that do', async () => {
  const { url, lines, count } = await start();
  expect(await post(`${url}/webhooks/my-servr?token=${secret}`)).toBe(404);
  for (const path of ['/webhooks/my-server/votes', '/webhook/vote', '/webhooks/a/b/c/d/e/f'])
    expect(await post(url + path), path).toBe(404);
  expect(await post(`${url}/elsewhere`)).toBe(404);
  await fetch(`${url}/webhooks/nothing`);
  await expect.poll(() => count('path'), scrapes).toBe(4);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    path: '/webhooks/my-servr',
    hint: expect.stringMatching(/\/webhooks\/vote, .*: my-server\. Did you mean \/webhooks\/my-server\?$/),
  });
});

it('an unknown address is logged without what may be a secret, and without foreign text', async () => {
  const written = ['<b>', '%1b%5B31m', encodeURIComponent(secret), 'x'.repeat(5_000)];
  for (const name of written) {
    const { url, lines } = await start();
    expect(await post(`${url}/webhooks/${name}`)).toBe(404);
    await expect.poll(() => lines.length).toBe(1);
    expect(JSON.parse(lines[0] ?? '').path).toBe('/webhooks/…');
  }
});

it('the same in a server of your own, unless that has a page there', async () => {
  const { receiver, lines, count } = await start();
  const app = express().use('/tally', receiver.webhooks);
  app.post('/tally/webhooks/other', (_request, response) => void response.sendStatus(204));
  const url = await serve(app);
  expect(await post(`${url}/tally/webhooks/other`)).toBe(204);
  expect(await post(`${url}/tally/webhooks/nothing`)).toBe(404);
  await expect.poll(() => count('path'), scrapes).toBe(1);
  expect(lines).toHaveLength(1);
});

it('the 404 of fetch says how an address has to end', async () => {
  const { receiver, count } = await start();
  const response = await receiver.fetch(new Request('http://localhost/api/vote', { method: 'POST', body: '{}' }));
  expect(response.status).toBe(404);
  expect(await response.json()).toEqual({
    success: false,
    error: expect.stringContaining('has to end in /webhooks/vote'),
  });
  await expect.poll(() => count('path'), scrapes).toBe(1);
});

it.each([
  ['PROXY protocol 1', 'PROXY', 'PROXY TCP4 192.0.2.1 192.0.2.2 56324 443\r\nPOST /webhooks/vote HTTP/1.1\r\n\r\n'],
  [
    'PROXY protocol 2',
    'PROXY',
    '\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\x7f\0\0\x01\x7f\0\0\x01\0\x50\0\x51POST / HTTP/1.1\r\n\r\n',
  ],
  ['HTTP/2', 'HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['another protocol', 'unknown', 'SSH-2.0-OpenSSH_9.6\r\n'],
])('bytes of %s are counted, and logged once with what to change', async (_name, protocol, bytes) => {
  const { url, lines, count } = await start();
  for (let time = 1; time <= 2; time += 1) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.end(bytes, 'latin1');
    await new Promise((resolve) =>
      socket
        .on('close', resolve)
        .on('error', () => {})
        .resume(),
    );
    await expect.poll(() => count('no_http'), scrapes).toBe(time);
  }
  expect(lines.map((line) => JSON.parse(line))).toEqual([expect.objectContaining({ protocol })]);
});

it('TLS to the plain port is counted and logged', async () => {
  const { url, lines, count } = await start();
  const socket = connectTls(Number(new URL(url).port), '127.0.0.1');
  await new Promise((resolve) => socket.on('error', resolve));
  await expect.poll(() => count('no_http'), scrapes).toBe(1);
  expect(lines.join('')).toContain('http:// address at the proxy');
});
