import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { createLog } from '@tallyhook/platform/log';
import type { Terminal } from '@tallyhook/platform/terminal/terminal';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { type Received, type Receiver, receiver } from 'listing-service/testing/running';
import { captive } from 'listing-service/testing/terminal';
import { expect, onTestFinished, test } from 'vitest';
import { createReceiver } from '../../src/app/receiver-app.ts';
import { runCommandLine } from '../../src/main.ts';
import { sign } from '../../src/webhook/signature.ts';
import { sites } from '../../src/webhook/sites/index.ts';

const secret = 'only-the-receiver-knows';

function send(args: readonly string[], terminal: Terminal): Promise<number> {
  return runCommandLine(['send', ...args], terminal);
}

/** A receiver that verifies the signature. */
function strictReceiver(): Promise<Receiver> {
  return receiver(({ body, headers }: Received) => (headers['x-webhook-signature'] === sign(body, secret) ? 200 : 401));
}

test.each([
  ['vote', { event: 'server_vote', serverId: expect.any(String), userId: '42', creditsAwarded: true }],
  ['bot-vote', { event: 'bot_vote', bot: { id: expect.any(String) }, userId: '42' }],
  ['premium', { event: 'premium_purchase', buyer: { userId: '42' }, orderId: expect.any(String) }],
  ['test', { event: 'server_vote', test: true }],
])('send %s signs and sends one delivery, and prints the response', async (type, payload) => {
  const { url, received } = await strictReceiver();
  const { terminal, output } = captive();
  const args = [type, '--to', url, '--secret', secret, '--user', '42'];
  expect(await send(args, terminal)).toBe(0);
  expect(received.map(({ body }) => JSON.parse(body))).toMatchObject([payload]);
  expect(output()).toMatch(/← 200 in \d+ ms: \{"received":true\}/);
  expect(output()).not.toContain(secret);
});

test('the secret may be read from a file or from the input', async () => {
  const { url, received } = await strictReceiver();
  const file = join(tempDir(), 'secret');
  writeFileSync(file, `${secret}\n`);
  expect(await send(['vote', '--to', url, '--secret-file', file], captive().terminal)).toBe(0);
  const input = new PassThrough();
  input.end(secret);
  expect(await send(['vote', '--to', url, '--secret-file', '-'], captive(input).terminal)).toBe(0);
  expect(received).toHaveLength(2);
});

test('--duplicate sends the same bytes twice', async () => {
  const { url, received } = await strictReceiver();
  expect(await send(['vote', '--to', url, '--secret', secret, '--duplicate'], captive().terminal)).toBe(0);
  expect(received).toHaveLength(2);
  expect(received[0]?.body).toBe(received[1]?.body);
});

test('--bad-signature expects 401, and fails for a receiver that accepts the delivery', async () => {
  const strict = await strictReceiver();
  const args = (url: string) => ['vote', '--to', url, '--secret', secret, '--bad-signature'];
  expect(await send(args(strict.url), captive().terminal)).toBe(0);
  const open = await receiver();
  const { terminal, output } = captive();
  expect(await send(args(open.url), terminal)).toBe(1);
  expect(output()).toContain('expected status 401');
});

test('--reorder sends the later event first', async () => {
  const { url, received } = await strictReceiver();
  const args = (type: string) => [type, '--to', url, '--secret', secret, '--reorder'];
  expect(await send(args('vote'), captive().terminal)).toBe(0);
  expect(await send(args('premium'), captive().terminal)).toBe(0);
  const [later, earlier, renewed, purchase] = received.map(({ body }) => JSON.parse(body));
  expect(Date.parse(later.timestamp) - Date.parse(earlier.timestamp)).toBeGreaterThan(12 * 3_600_000);
  expect([renewed.event, purchase.event]).toEqual(['subscription.renewed', 'premium_purchase']);
  expect(renewed.orderId).toBe(purchase.orderId);
});

test('--site sends as another listing site does, which the receiver for that site accepts', async () => {
  const listings = sites
    .filter(({ id }) => id !== 'service' && id !== 'capture')
    .map(({ id, kinds }) => ({ name: id, kind: kinds.at(-1) ?? 'bot', site: id, voteSecrets: [secret] }));
  const log = createLog({ level: 'silent', secrets: [] });
  const program = await createReceiver({ listings, database: ':memory:', port: 0, log });
  onTestFinished(() => program.stop());
  const url = await program.start();
  for (const { name, kind } of listings) {
    const args = ['--site', name, '--to', `${url}/webhooks/${name}`, '--secret', secret];
    const vote = captive();
    const type = kind === 'bot' ? 'bot-vote' : 'vote';
    expect(await send([type, ...args, '--duplicate', '--json'], vote.terminal), name).toBe(0);
    const { deliveries } = JSON.parse(vote.output()) as { deliveries: { response: string }[] };
    const outcomes = deliveries.map(({ response }) => JSON.parse(response).outcome);
    expect(outcomes, name).toEqual(
      name === 'discordlistgg' ? ['quarantined', 'quarantined'] : ['recorded', 'duplicate'],
    );
    expect(await send(['test', ...args, '--bad-signature'], captive().terminal), name).toBe(0);
  }
  for (const [args, message] of [
    [['vote', '--site', 'topg'], 'Did you mean topgg?'],
    [['premium', '--site', 'topgg'], 'top.gg has no premium events'],
    [['vote', '--site', 'topgg', '--user', '42'], '17 to 20 digits'],
  ] as const) {
    const { terminal, output } = captive();
    expect(await send([...args, '--to', `${url}/webhooks/topgg`, '--secret', secret], terminal)).toBe(2);
    expect(output()).toContain(message);
  }
});

test('control characters from the receiver do not reach the terminal', async () => {
  const { terminal, output } = captive();
  const { url } = await receiver(() => 500);
  expect(await send(['vote', '--to', `${url}/?\u001b`, '--secret', secret], terminal)).toBe(1);
  expect(output()).not.toContain('\u001b');
  expect(output()).toContain('← 500');
});

test.each([
  [['nonsense', '--to', 'http://127.0.0.1:9/', '--secret', 's']],
  [['vote', '--secret', 's']],
  [['vote', '--to', 'ftp://x/', '--secret', 's']],
  [['vote', '--to', 'http://127.0.0.1:9/']],
  [['vote', '--to', 'http://127.0.0.1:9/', '--secret', 's', '--credits', '-1']],
])('%j is invalid usage: exit code 2 with a message', async (args) => {
  const { terminal, output } = captive();
  expect(await send(args, terminal)).toBe(2);
  expect(output()).not.toBe('');
});

test('an unreachable receiver is exit code 1', async () => {
  const { terminal, output } = captive();
  expect(await send(['vote', '--to', 'http://127.0.0.1:9/', '--secret', secret], terminal)).toBe(1);
  expect(output()).toContain('no response');
});
