import fc from 'fast-check';
import { sign } from '../../../src/webhook/signature.ts';
import { premiumSecret, voteSecret } from '../../support/listings.ts';

export const oldVoteSecret = 'vote-secret-before-rotation';
export const sharedSecret = 'secret-of-both-families';
export const authorization = 'Bearer chosen-by-the-owner';
/** The time of the receivers (ms since the epoch). */
export const now = Date.UTC(2026, 0, 1);

export interface GeneratedDelivery {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

const userId = fc.constantFrom<unknown>('80351110224678912', '1', 42, 2 ** 60, '', 'someone', null, {}, -1);
const person = fc.oneof(
  userId,
  fc.record({ userId, username: fc.string() }, { requiredKeys: [] }),
  fc.record({ id: userId }),
);
const time = fc.oneof(
  fc
    .date({ min: new Date(now - 1e9), max: new Date(now + 6e5), noInvalidDate: true })
    .map((date) => date.toISOString()),
  fc.constantFrom<unknown>('2026-02-30T00:00:00Z', '2025-12-31t10:00:00,5+0200', 'yesterday', 5, null),
);
const kind = fc.constantFrom<unknown>(
  ...['server_vote', 'bot_vote', 'premium_purchase', 'subscription.renewed', 'subscription.expired'],
  ...['subscription.revoked', 'surprise', '', 7, null, {}],
);

/** What services send, with fields missing or wrong. */
const payload = fc.record(
  {
    event: kind,
    type: kind,
    kind,
    eventType: kind,
    username: kind,
    userId,
    voter: person,
    serverId: userId,
    server: fc.record({ id: userId }),
    bot: fc.record({ id: userId }),
    buyer: person,
    recipient: person,
    giftedBy: person,
    isGift: fc.constantFrom<unknown>(true, false, 'no', 0, null),
    orderId: fc.constantFrom<unknown>('o-1', 7, '', {}, 'x'.repeat(201)),
    tier: fc.record({ id: fc.string(), name: fc.string() }),
    vendor: fc.record({ type: fc.constantFrom('server', 'bot', 'shop'), id: userId }),
    timestamp: time,
    currentPeriodEnd: time,
    creditsAwarded: fc.constantFrom<unknown>(10, true, false, -1, 1.5, 2e6, '5', '7.5', null),
    creditDenialReason: fc.string({ unit: 'binary' }),
    test: fc.constantFrom<unknown>(true, false, 'yes', null),
    more: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
/** What the document guarantees: most deliveries of the generator above have too many errors to be processed. */
const goodVote = fc.record(
  { event: fc.constantFrom('server_vote', 'bot_vote'), userId: fc.constant('80351110224678912'), timestamp: time },
  { requiredKeys: ['userId'] },
);
const goodPurchase = fc.record({
  event: fc.constant('premium_purchase'),
  buyer: fc.constant({ userId: '80351110224678912' }),
  orderId: fc.uuid(),
});

type Layout = (json: unknown) => Buffer;
const compact: Layout = (json) => Buffer.from(JSON.stringify(json));
const layouts: readonly Layout[] = [
  compact,
  (json) => Buffer.from(JSON.stringify(json, null, 2)),
  (json) => Buffer.from(` ${JSON.stringify(json)}\n`),
  (json) => Buffer.from(JSON.stringify(json).replace('{', '{"userId":"1","event":"bot_vote",')),
  (json) =>
    Buffer.from(JSON.stringify(json).replace('{', '{"creditsAwarded":1e400,"n":1.0,"__proto__":{"userId":"1"},')),
  (json) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), compact(json)]),
  (json) => Buffer.concat([compact(json).subarray(0, -1), Buffer.from(',"bad":"\xff\xc0\xed\xa0"}', 'latin1')]),
  (json) => compact(json).subarray(0, -1),
  (json) => Buffer.from(JSON.stringify({ ...(json as object), nested: nested(98) }, null, 1)),
  (json) => Buffer.from(JSON.stringify({ ...(json as object), nested: nested(100) }, null, 1)),
  () => Buffer.alloc(0),
];
/** Up to and beyond the largest accepted size. */
const padded = (size: number): Layout => {
  return (json) => Buffer.from(JSON.stringify(json).padEnd(size, ' '));
};

function nested(levels: number): unknown {
  return levels === 0 ? 1 : [nested(levels - 1)];
}

function reserialised(body: Buffer): string {
  try {
    return JSON.stringify(JSON.parse(body.toString()));
  } catch {
    return body.toString();
  }
}

const secret = fc.constantFrom(voteSecret, oldVoteSecret, premiumSecret, sharedSecret, 'secret-of-nobody');
const signature = fc.oneof(
  {
    weight: 8,
    arbitrary: secret.map(
      (each) =>
        (body: Buffer): string | null =>
          sign(body, each),
    ),
  },
  {
    weight: 4,
    arbitrary: secret.map(
      (each) =>
        (body: Buffer): string | null =>
          sign(reserialised(body), each),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      () => null,
      () => '0'.repeat(64),
      () => 'no signature',
      (body: Buffer) => sign(body, voteSecret).toUpperCase(),
      (body: Buffer) => `${sign(body, voteSecret)}, ${sign(body, voteSecret)}`,
    ),
  },
);
const otherHeaders = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Record<string, string>>(
      { authorization },
      { authorization: `${authorization} ` },
      { authorization: 'Bearer another' },
      { 'content-encoding': 'gzip' },
      { 'content-encoding': 'Identity' },
    ),
  },
);

/** Deliveries, good and broken in any way. */
export const delivery: fc.Arbitrary<GeneratedDelivery> = fc
  .record({
    json: fc.oneof(payload, goodVote, goodPurchase, fc.constant(null), fc.constant([])),
    layout: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...layouts) },
      { weight: 1, arbitrary: fc.constantFrom(padded(65_536), padded(65_537)) },
      { weight: 5, arbitrary: fc.constant(compact) },
    ),
    signature,
    otherHeaders,
  })
  .map(({ json, layout, signature: signBody, otherHeaders: others }) => {
    const body = layout(json);
    const header = signBody(body);
    return { body, headers: { ...others, ...(header !== null && { 'x-webhook-signature': header }) } };
  });
