import { eventually } from '@tallyhook/platform/testing/eventually';
import { mira, type Received, receiver, running, serverId } from 'listing-service/testing/running';
import { expect, test } from 'vitest';
import { sign } from '../../src/webhook/signature.ts';
import { verify } from '../../src/webhook/verification/verify.ts';
import { serverAndBot } from '../support/listings.ts';
import { startReceiver } from '../support/start-receiver.ts';

test('a delivery that is also signed by Standard Webhooks is one of the service, and never of another site', async () => {
  const all = await running();
  const { url, received } = await receiver();
  const secret = 'vote-secret-for-tests';
  await all.service.setWebhook(serverId, { voteUrl: url, voteSecret: secret });
  await all.service.castVote({ kind: 'server', ...mira });
  await eventually(() => expect(received).toHaveLength(1));
  const { headers, body } = received[0] as Received;
  expect(await verify({ headers, body }, secret)).toMatchObject({ kind: 'server_vote', userId: mira.userId });
  await expect(verify({ headers, body }, 'another secret')).rejects.toThrow(/^(?!.*looks like)/);

  const sent: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) if (/webhook/.test(name)) sent[name] = String(value);
  expect(sent).toHaveProperty('webhook-signature');
  const listings = serverAndBot({ id: serverId });
  const { post, lines } = await startReceiver({ listings });
  expect(await post('/webhooks/vote', body, { secret: null, headers: sent })).toMatchObject({
    status: 200,
    json: { outcome: 'recorded' },
  });
  const { 'x-webhook-signature': _signature, ...standardAlone } = sent;
  const forged = { ...sent, 'x-webhook-signature': sign(body, 'another secret') };
  for (const wrong of [standardAlone, forged]) {
    const { status, json } = await post('/webhooks/vote', body, { secret: null, headers: wrong });
    expect(status).toBe(401);
    expect(json['error']).not.toContain('looks like');
  }
  expect(lines.join()).not.toContain('looks like');
});
