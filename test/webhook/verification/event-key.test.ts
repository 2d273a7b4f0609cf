import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sign } from '../../../src/webhook/sign.ts';
import { verify } from '../../../src/webhook/verification/verify.ts';
import { premiumSecret, voteSecret } from '../../support/listings.ts';
import { startReceiver } from '../../support/start-receiver.ts';

const now = Date.UTC(2026, 5, 15);
const secrets = { vote: voteSecret, premium: premiumSecret };

async function keyOf(payload: object, receivedAt = now): Promise<string | null> {
  const body = JSON.stringify(payload, null, 1);
  const secret = 'buyer' in payload ? premiumSecret : voteSecret;
  const event = await verify({ headers: { 'x-webhook-signature': sign(body, secret) }, body }, secrets, {
    now: receivedAt,
  });
  return event.key;
}

const vote = { event: 'server_vote', userId: '42', serverId: '1', timestamp: '2026-06-14T12:00:00Z' };
const purchase = { event: 'premium_purchase', buyer: { userId: '42' } };
const user = fc.constantFrom('42', '43');
const time = fc.constantFrom('2026-06-14T12:00:00Z', '2026-06-14T14:00:00.000+02:00', '2026-06-14T12:00:00.001Z');
const votes = fc.record({
  event: fc.constant('server_vote'),
  userId: user,
  serverId: fc.constant('1'),
  timestamp: time,
  more: fc.string(),
});
const purchases = fc.record(
  {
    event: fc.constantFrom('premium_purchase', 'subscription.renewed', 'subscription.expired'),
    buyer: fc.record({ userId: user }),
    orderId: fc.constantFrom('o-1', 'o-2'),
    timestamp: time,
    currentPeriodEnd: fc.constantFrom('2026-07-01T00:00:00Z', '2026-08-01T00:00:00Z'),
    more: fc.boolean(),
  },
  { requiredKeys: ['event', 'buyer', 'timestamp'] },
);

describe('the key of an event', () => {
  it('is the same for two deliveries if, and only if, the receiver takes the second for a repeat', async () => {
    const seen = new Set<boolean>();
    const pair = fc.oneof(fc.tuple(votes, votes), fc.tuple(purchases, purchases));
    await fc.assert(
      fc.asyncProperty(pair, async ([first, second]) => {
        const { post } = await startReceiver({ clock: manualClock(now) });
        const send = async (payload: object) => {
          const options = { secret: 'buyer' in payload ? premiumSecret : voteSecret };
          return (await post('/webhooks', JSON.stringify(payload, null, 1), options)).json['outcome'];
        };
        expect(await send(first)).toBe('recorded');
        const isRepeated = (await send(second)) === 'duplicate';
        seen.add(isRepeated);
        expect((await keyOf(first)) === (await keyOf(second))).toBe(isRepeated);
      }),
      { numRuns: 40, seed: 7 },
    );
    expect(seen.size).toBe(2);
  });

  it('is null if nothing identifies the event', async () => {
    expect(await keyOf({ ...vote, timestamp: undefined })).toBe(null);
    expect(await keyOf({ ...vote, test: true })).toBe(null);
    expect(await keyOf(purchase)).toBe(null);
    expect(await keyOf({ ...purchase, timestamp: vote.timestamp })).not.toBe(null);
  });
});
