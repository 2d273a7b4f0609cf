import { hour, minute, second } from '@tallyhook/platform/durations';
import { hmacHex } from '@tallyhook/platform/hmac';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { expect, test } from 'vitest';
import { botId, mira, receiver, running, serverId, tobias } from '../testing/running.ts';
import { newcomer, untilState } from './queue.ts';

const voteSecret = 'a-secret-for-votes-only';
const premiumSecret = 'a-secret-for-premium-only';

test('a vote is sent to the receiver, with a signature of the exact bytes', async () => {
  const { service } = await running();
  const { url, received } = await receiver();
  await service.setWebhook(serverId, { voteUrl: url, voteSecret });
  const { deliveryId } = await service.castVote({ listingId: serverId, userId: '42', username: 'Zoë "ö" <b>' });
  await eventually(() => expect(received).toHaveLength(1));
  const [delivery] = received;
  expect(JSON.parse(delivery?.body ?? '')).toEqual({
    event: 'server_vote',
    timestamp: '2026-01-01T00:00:00.000Z',
    serverId,
    server: { id: serverId, name: 'Lantern Harbour' },
    userId: '42',
    voter: { userId: '42', username: 'Zoë "ö" <b>' },
    creditsAwarded: true,
    adBlocker: false,
  });
  expect(delivery?.headers).toMatchObject({
    'content-type': 'application/json',
    'x-webhook-signature': hmacHex(delivery?.body ?? '', voteSecret),
    'x-webhook-id': deliveryId,
  });
});

test('a bot vote contains the bot, and a denied vote the reason', async () => {
  const { service } = await running();
  const { url, received } = await receiver();
  const { voteSecret: newSecret } = await service.setWebhook(botId, { voteUrl: url });
  await service.castVote({ kind: 'bot', ...mira, adBlocker: true });
  await eventually(() => expect(received).toHaveLength(1));
  expect(received[0]?.headers['x-webhook-signature']).toBe(hmacHex(received[0]?.body ?? '', newSecret));
  expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
    event: 'bot_vote',
    bot: { id: botId, name: 'Quartermaster' },
    userId: mira.userId,
    creditsAwarded: false,
    creditDenialReason: 'Ad blocker detected',
    adBlocker: true,
  });
});

test('the events of a gift are sent with the premium secret', async () => {
  const { service } = await running();
  const { url, received } = await receiver();
  await service.setWebhook(serverId, { premiumUrl: url, premiumSecret });
  const order = { listingId: serverId, buyer: tobias, recipient: mira };
  const { purchase } = await service.purchase(order);
  await service.transitionOrder(serverId, purchase.orderId, 'subscription.renewed');
  await service.transitionOrder(serverId, purchase.orderId, 'subscription.revoked');
  await eventually(() => expect(received).toHaveLength(3));
  for (const { body, headers } of received) expect(headers['x-webhook-signature']).toBe(hmacHex(body, premiumSecret));
  const payloads = received.map(({ body }) => JSON.parse(body)).toSorted((a, b) => a.event.localeCompare(b.event));
  const common = {
    orderId: purchase.orderId,
    purchaseId: purchase.purchaseId,
    buyer: tobias,
    recipient: mira,
    isGift: true,
    giftedBy: tobias.userId,
    tier: { id: 'supporter', name: 'Supporter', duration: 'monthly', planType: 'user' },
    serverId,
    vendor: { type: 'server', id: serverId },
    targetType: 'server',
    targetName: 'Lantern Harbour',
  };
  expect(payloads).toEqual([
    { event: 'premium_purchase', timestamp: expect.any(String), ...common },
    {
      event: 'subscription.renewed',
      timestamp: expect.any(String),
      ...common,
      status: 'active',
      autoRenew: true,
      currentPeriodEnd: '2026-03-01T00:00:00.000Z',
    },
    {
      event: 'subscription.revoked',
      timestamp: expect.any(String),
      ...common,
      status: 'revoked',
      autoRenew: false,
      currentPeriodEnd: expect.any(String),
    },
  ]);
});

test('an expired order cannot be renewed', async () => {
  const { service } = await running();
  const { purchase } = await service.purchase({ listingId: serverId, buyer: tobias });
  await service.transitionOrder(serverId, purchase.orderId, 'subscription.expired');
  await expect(service.transitionOrder(serverId, purchase.orderId, 'subscription.renewed')).rejects.toThrow(
    'no active order',
  );
});

test('an order is renewed when its period ends, or expires without autoRenew', async () => {
  const instance = await running();
  const { service, clock } = instance;
  const { url, received } = await receiver();
  await service.setWebhook(serverId, { premiumUrl: url });
  await service.purchase({ listingId: serverId, buyer: tobias });
  await service.purchase({ listingId: serverId, buyer: mira, autoRenew: false });
  await eventually(() => expect(received).toHaveLength(2));
  // An attempt that is not stored yet would be repeated, because its lease ends.
  const stored = async () => (await service.deliveries(serverId)).filter(({ state }) => state === 'delivered');
  await eventually(async () => expect(await stored()).toHaveLength(2));
  clock.leap(31 * 24 * hour);
  // By single seconds, until the maintenance has queued the events: a minute would outlast the time that an attempt has.
  while ((await service.deliveries(serverId)).length < 4) await clock.advance(1 * second);
  await eventually(() => expect(received).toHaveLength(4));
  const events = received.slice(2).map(({ body }) => JSON.parse(body));
  expect(events.find(({ event }) => event === 'subscription.renewed')).toMatchObject({ buyer: tobias });
  expect(events.find(({ event }) => event === 'subscription.expired')).toMatchObject({
    buyer: mira,
    status: 'expired',
  });
});

test('nothing is queued for a listing without webhooks', async () => {
  const { service } = await running();
  expect(await service.castVote({ kind: 'server', ...mira })).toMatchObject({ recorded: true, deliveryId: null });
  expect(await service.deliveries(serverId)).toEqual([]);
});

test('a redirect is not followed', async () => {
  const instance = await running();
  const { url, received } = await receiver(() => 302);
  await instance.service.setWebhook(serverId, { voteUrl: url });
  await instance.service.castVote({ kind: 'server', ...mira });
  const delivery = await untilState(instance, 'waiting', 1);
  expect(delivery?.attemptHistory[0]?.error).toContain('redirects are not followed');
  expect(received).toHaveLength(1);
});

test('a new secret signs immediately; for a day a receiver with the previous secret gets every delivery', async () => {
  const instance = await running();
  const { service, clock } = instance;
  let receiverSecret = voteSecret;
  const { url, received } = await receiver(({ body, headers }) =>
    headers['x-webhook-signature'] === hmacHex(body, receiverSecret) ? 200 : 401,
  );
  await service.setWebhook(serverId, { voteUrl: url, voteSecret });
  const newSecret = await service.rotateSecret(serverId, 'vote');
  await service.castVote({ kind: 'server', ...mira });
  const first = await untilState(instance, 'delivered', 1);
  expect(first?.attemptHistory.map(({ signedWith, status }) => [signedWith, status])).toEqual([
    ['current', 401],
    ['previous', 200],
  ]);

  receiverSecret = newSecret;
  await service.castVote({ kind: 'server', ...newcomer });
  await eventually(() => expect(received).toHaveLength(3));

  receiverSecret = voteSecret;
  clock.leap(24 * hour);
  await service.castVote({ kind: 'server', ...mira });
  const last = await untilState(instance, 'waiting', 1);
  expect(last?.attemptHistory).toMatchObject([{ signedWith: 'current', status: 401 }]);
});

test('"Test Webhook" sends one delivery with test: true, returns the attempt, and does not retry', async () => {
  const instance = await running();
  const { url, received } = await receiver(() => 500);
  expect(await instance.service.testWebhook(serverId, 'vote')).toBeNull();
  await instance.service.setWebhook(serverId, { voteUrl: url, premiumUrl: url });
  expect(await instance.service.testWebhook(serverId, 'vote')).toMatchObject({
    status: 500,
    error: 'The receiver returned 500.',
  });
  expect(await instance.service.testWebhook(serverId, 'premium')).toMatchObject({ status: 500 });
  expect(received.map(({ body }) => JSON.parse(body))).toMatchObject([
    { event: 'server_vote', test: true },
    { event: 'premium_purchase', test: true },
  ]);
  await instance.clock.advance(2 * minute);
  expect((await instance.service.deliveries(serverId)).map(({ state }) => state)).toEqual(['failed', 'failed']);
  expect(received).toHaveLength(2);
});
