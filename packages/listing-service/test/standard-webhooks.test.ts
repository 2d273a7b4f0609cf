import { createHmac } from 'node:crypto';
import { hour, minute, second } from '@tallyhook/platform/durations';
import { hmacHex } from '@tallyhook/platform/hmac';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { expect, test } from 'vitest';
import { type Answered, mira, ownerId, type Received, receiver, running, serverId } from '../testing/running.ts';
import { visit } from '../testing/visit.ts';
import { newcomer, nextAttempt, untilState } from './queue.ts';

const webhookPath = `/dashboard/${serverId}/webhooks/vote`;
/** A secret of another site that signs by Standard Webhooks: the example of the specification. */
const standardExample = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** Verifies as the specification says, with a tolerance of five minutes, which the libraries have. */
function isVerified({ headers, body }: Received, secret: string, now: number): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  const base64 = secret.replace(/^whsec_/, '');
  // Some libraries reject another alphabet and a missing padding.
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw new Error('This is no base64.');
  if (!/^\d+$/.test(String(timestamp)) || Math.abs(Number(timestamp) * second - now) > 5 * minute) return false;
  const key = Buffer.from(base64, 'base64');
  const digest = createHmac('sha256', key)
    .update(`${String(id)}.${String(timestamp)}.${body}`)
    .digest('base64');
  return String(signatures).split(' ').includes(`v1,${digest}`);
}

/** Both forms of the secret that a page shows. */
function secretsOn({ text }: Answered): { readonly secret: string; readonly standard: string } {
  const [notice = ''] = /role="status"[\s\S]*?<\/div>/.exec(text) ?? [];
  const [secret = '', standard = ''] = [...notice.matchAll(/<code>([^<]+)</g)].map(([, code = '']) => code);
  return { secret, standard };
}

test('the secret that the dashboard shows in its standard form verifies deliveries as the specification says', async () => {
  const all = await running();
  const { url, received } = await receiver();
  const owner = await visit(all, ownerId);
  const { secret, standard } = secretsOn(await owner.send(webhookPath, { url, secret: '' }));
  expect(standard).toMatch(/^whsec_/);
  await all.service.castVote({ kind: 'server', userId: '42', username: 'Zoë "ö" 🎉' });
  await owner.send(`${webhookPath}/test`, {});
  await eventually(() => expect(received).toHaveLength(2));
  for (const delivery of received) {
    expect(isVerified(delivery, standard, all.clock.now())).toBe(true);
    expect(isVerified(delivery, standardExample, all.clock.now())).toBe(false);
    expect(isVerified({ ...delivery, body: `${delivery.body} ` }, standard, all.clock.now())).toBe(false);
    expect(delivery.headers['x-webhook-signature']).toBe(hmacHex(delivery.body, secret));
  }
});

test('an own secret in the standard form is the key that libraries decode, and the others are their characters', async () => {
  const all = await running();
  const { url, received } = await receiver();
  const owner = await visit(all, ownerId);
  const own = 'a secret of its owner'.replaceAll(' ', '-');
  for (const secret of [standardExample, own, `whsec_${own}`]) {
    await owner.send(webhookPath, { url, secret });
    expect((await all.service.testWebhook(serverId, 'vote'))?.status).toBe(200);
    const delivery = received.at(-1) as Received;
    expect(delivery.headers['x-webhook-signature']).toBe(hmacHex(delivery.body, secret));
    const key = secret === standardExample ? secret : `whsec_${Buffer.from(secret).toString('base64')}`;
    expect(isVerified(delivery, key, all.clock.now()), secret).toBe(true);
  }
});

test('a delivery has the same id at each attempt and when it is sent again, with the time of the attempt', async () => {
  const all = await running();
  const { url, received } = await receiver((_delivery, count) => (count === 1 ? 500 : 200), '0');
  const { voteSecret: secret } = await all.service.setWebhook(serverId, { voteUrl: url, voteSecret: standardExample });
  const { deliveryId } = await all.service.castVote({ kind: 'server', ...mira });
  const startedAt = all.clock.now();
  await untilState(all, 'waiting', 1);
  all.clock.leap(30 * minute);
  await nextAttempt(all);
  await untilState(all, 'delivered', 2);
  all.clock.leap(1 * hour);
  await all.service.resend(serverId, deliveryId ?? '');
  await eventually(() => expect(received).toHaveLength(3));
  expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([`msg_${deliveryId}`]));
  const times = received.map(({ headers }) => Number(headers['webhook-timestamp']) * second - startedAt);
  expect(times[0]).toBe(0);
  expect(times[1]).toBeGreaterThanOrEqual(30 * minute);
  expect(times[2]).toBeGreaterThanOrEqual(90 * minute);
  for (const [index, delivery] of received.entries()) {
    expect(isVerified(delivery, secret, startedAt + (times[index] ?? 0))).toBe(true);
  }
  await all.service.castVote({ kind: 'server', ...newcomer });
  await eventually(() => expect(received).toHaveLength(4));
  expect(received[3]?.headers['webhook-id']).not.toBe(`msg_${deliveryId}`);
});

test('after a rotation, one request verifies with the previous and the new secret, for a day', async () => {
  const all = await running();
  const { url, received } = await receiver();
  await all.service.setWebhook(serverId, { voteUrl: url, voteSecret: standardExample });
  const owner = await visit(all, ownerId);
  const { standard } = secretsOn(await owner.send(`${webhookPath}/rotate`, {}));
  await all.service.castVote({ kind: 'server', ...mira });
  await eventually(() => expect(received).toHaveLength(1));
  const verifiedWith = (delivery: Received | undefined) =>
    [standard, standardExample].map((secret) => delivery && isVerified(delivery, secret, all.clock.now()));
  expect(verifiedWith(received[0])).toEqual([true, true]);
  all.clock.leap(24 * hour);
  await all.service.castVote({ kind: 'server', ...newcomer });
  await eventually(() => expect(received).toHaveLength(2));
  expect(verifiedWith(received[1])).toEqual([true, false]);
});
