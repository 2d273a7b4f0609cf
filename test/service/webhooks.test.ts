import { expect, test } from 'vitest';
import { hour, minute } from '../../src/platform/durations.ts';
import { sign } from '../../src/webhook/signature.ts';
import { newcomer, settled } from './queue.ts';
import { botId, eventually, mira, receiver, running, serverId, tobias } from './running.ts';

const voteSecret = 'a-secret-for-votes-only';
const premiumSecret = 'a-secret-for-premium-only';

test('a vote is told to the owner, signed over the exact bytes that are sent', async () => {
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
    'x-webhook-signature': sign(delivery?.body ?? '', voteSecret),
    'x-webhook-id': deliveryId,
  });
});

test('a bot vote names the bot, and a denied vote says why', async () => {
  const { service } = await running();
  const { url, received } = await receiver();
  await service.setWebhook(botId, { voteUrl: url });
  await service.castVote({ kind: 'bot', ...mira, adBlocker: true });
  await eventually(() => expect(received).toHaveLength(1));
  expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
    event: 'bot_vote',
    bot: { id: botId, name: 'Quartermaster' },
    userId: mira.userId,
    creditsAwarded: false,
    creditDenialReason: 'Ad blocker detected',
    adBlocker: true,
  });
});

test('a gift and its whole life are told with the premium secret, each as what it is', async () => {
  const { service } = await running();
  const { url, received } = await receiver();
  await service.setWebhook(serverId, { premiumUrl: url, premiumSecret });
  const order = { listingId: serverId, buyer: tobias, recipient: mira };
  const { purchase } = await service.purchase(order);
  await service.movePurchase(serverId, purchase.orderId, 'subscription.renewed');
  await service.movePurchase(serverId, purchase.orderId, 'subscription.revoked');
  await eventually(() => expect(received).toHaveLength(3));
  for (const { body, headers } of received) expect(headers['x-webhook-signature']).toBe(sign(body, premiumSecret));
  const told = received.map(({ body }) => JSON.parse(body)).toSorted((a, b) => a.event.localeCompare(b.event));
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
  expect(told).toEqual([
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

test('an order that ended cannot be moved on', async () => {
  const { service } = await running();
  const { purchase } = await service.purchase({ listingId: serverId, buyer: tobias });
  await service.movePurchase(serverId, purchase.orderId, 'subscription.expired');
  await expect(service.movePurchase(serverId, purchase.orderId, 'subscription.renewed')).rejects.toThrow(
    'no active order',
  );
});

test('a paid period that is over is renewed, or expires where nobody wants it renewed', async () => {
  const { service, clock } = await running();
  const { url, received } = await receiver();
  await service.setWebhook(serverId, { premiumUrl: url });
  await service.purchase({ listingId: serverId, buyer: tobias });
  await service.purchase({ listingId: serverId, buyer: mira, autoRenew: false });
  await eventually(() => expect(received).toHaveLength(2));
  clock.leap(31 * 24 * hour);
  await clock.advance(1 * minute);
  await eventually(() => expect(received).toHaveLength(4));
  const events = received.slice(2).map(({ body }) => JSON.parse(body));
  expect(events.find(({ event }) => event === 'subscription.renewed')).toMatchObject({ buyer: tobias });
  expect(events.find(({ event }) => event === 'subscription.expired')).toMatchObject({
    buyer: mira,
    status: 'expired',
  });
});

test('nothing is queued for an owner who wants no webhooks', async () => {
  const { service } = await running();
  expect(await service.castVote({ kind: 'server', ...mira })).toMatchObject({ recorded: true, deliveryId: null });
  expect(await service.deliveries(serverId)).toEqual([]);
});

test('a redirect is not followed', async () => {
  const all = await running();
  const { url, received } = await receiver(() => 302);
  await all.service.setWebhook(serverId, { voteUrl: url });
  await all.service.castVote({ kind: 'server', ...mira });
  const delivery = await settled(all, 'waiting', 1);
  expect(delivery?.tried[0]?.error).toContain('redirects are not followed');
  expect(received).toHaveLength(1);
});

test('a new secret signs at once; while the old one overlaps, a receiver that knows only it loses nothing', async () => {
  const all = await running();
  const { service, clock } = all;
  let known = voteSecret;
  const { url, received } = await receiver(({ body, headers }) =>
    headers['x-webhook-signature'] === sign(body, known) ? 200 : 401,
  );
  await service.setWebhook(serverId, { voteUrl: url, voteSecret });
  const fresh = await service.rotateSecret(serverId, 'vote');
  await service.castVote({ kind: 'server', ...mira });
  const first = await settled(all, 'delivered', 1);
  expect(first?.tried.map(({ signedWith, status }) => [signedWith, status])).toEqual([
    ['current', 401],
    ['previous', 200],
  ]);

  known = fresh;
  await service.castVote({ kind: 'server', ...newcomer });
  await eventually(() => expect(received).toHaveLength(3));

  known = voteSecret;
  clock.leap(24 * hour);
  await service.castVote({ kind: 'server', ...mira });
  const late = await settled(all, 'waiting', 1);
  expect(late?.tried).toMatchObject([{ signedWith: 'current', status: 401 }]);
});

test('"Test Webhook" sends one marked delivery and says what came of it, and never tries again', async () => {
  const all = await running();
  const { url, received } = await receiver(() => 500);
  expect(await all.service.testWebhook(serverId, 'vote')).toBeNull();
  await all.service.setWebhook(serverId, { voteUrl: url, premiumUrl: url });
  expect(await all.service.testWebhook(serverId, 'vote')).toMatchObject({ status: 500, error: 'Answered 500.' });
  expect(await all.service.testWebhook(serverId, 'premium')).toMatchObject({ status: 500 });
  expect(received.map(({ body }) => JSON.parse(body))).toMatchObject([
    { event: 'server_vote', test: true },
    { event: 'premium_purchase', test: true },
  ]);
  await all.clock.advance(2 * minute);
  expect((await all.service.deliveries(serverId)).map(({ state }) => state)).toEqual(['failed', 'failed']);
  expect(received).toHaveLength(2);
});
