import { parseJson } from '@tallyhook/platform/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findAddress, type ReceivingListings } from '../../../src/core/receiving/intake.ts';
import type { ListingWithSecrets } from '../../../src/core/receiving/listing.ts';
import { isSignedWith, sign } from '../../../src/webhook/signature.ts';
import { reserialised } from '../../../src/webhook/signed-form.ts';
import { authenticate } from '../../../src/webhook/sites/authenticate.ts';
import { serverAndBot } from '../../support/listings.ts';
import { directoryOf } from '../../support/start-receiver.ts';

/** Listings with a vote and a premium secret each. */
function manyListings(count: number, changes: (index: number) => Partial<ListingWithSecrets> = () => ({})) {
  return Array.from(
    { length: count },
    (_, index): ListingWithSecrets => ({
      ...listing,
      name: `listing-${index}`,
      id: String(1_000 + index),
      voteSecrets: [`vote-${index}`],
      premiumSecrets: [`premium-${index}`],
      ...changes(index),
    }),
  );
}

const [listing] = serverAndBot();

/** The specification: every secret is tried with the bytes, then with the JSON. */
function tryEverySecret(listings: readonly ListingWithSecrets[], body: Buffer, signature: string) {
  const text = body.toString('utf8');
  for (const [signedText, signed] of [
    [text, body],
    [reserialised(parseJson(text)), reserialised(parseJson(text))],
  ] as const) {
    if (signedText === null || signed === null) continue;
    const scopes = listings.flatMap(({ name, voteSecrets, premiumSecrets }) => [
      ...voteSecrets.filter((secret) => isSignedWith(secret, signed, signature)).map(() => ({ name, family: 'vote' })),
      ...premiumSecrets
        .filter((secret) => isSignedWith(secret, signed, signature))
        .map(() => ({ name, family: 'premium' })),
    ]);
    if (scopes.length > 0) return { text: signedText, scopes };
  }
  return null;
}

/** What an authentic delivery to the shared addresses is for; null if it is not authentic. */
function verify(directory: ReceivingListings, body: Buffer | string, signature: string) {
  const address = findAddress(directory, null) ?? expect.fail('there is no shared address');
  const readHeader = (name: string) => (name === 'x-webhook-signature' ? signature : undefined);
  const delivery = { readHeader, body: Buffer.from(body) };
  const sender = authenticate(address.site, delivery, address.credentials, Date.now());
  if ('error' in sender) return null;
  const scopes = address.scopesOfSecrets[sender.credential] ?? [];
  const text = sender.content;
  return { text, scopes: scopes.map(({ listing: { name }, family }) => ({ name, family })) };
}

const anySecret = fc.constantFrom('one', 'two', 'three', 'four', 'five', 'six');
const anyId = fc.constantFrom('11', '22', '33');
const anyListings = fc
  .array(
    fc.record({
      id: fc.option(anyId),
      implied: fc.boolean(),
      voteSecrets: fc.uniqueArray(anySecret, { maxLength: 3 }),
      premiumSecrets: fc.uniqueArray(anySecret, { maxLength: 3 }),
    }),
    { maxLength: 5 },
  )
  .map((parts) => parts.map((part, index) => ({ ...listing, ...part, name: `listing-${index}` })));
const anyTarget = fc.oneof(anyId, anyId.map(Number), fc.constantFrom(null, '', '__proto__', { id: '11' }));
const anyPayload = fc.oneof(
  fc.record(
    {
      serverId: anyTarget,
      server: fc.record({ id: anyTarget }),
      botId: anyTarget,
      bot: fc.record({ id: anyTarget }),
      vendor: fc.record({ type: fc.constantFrom('server', 'bot'), id: anyTarget }),
      userId: fc.string(),
    },
    { requiredKeys: [] },
  ),
  fc.jsonValue(),
);
const anyBody = fc.oneof(
  fc.tuple(anyPayload, fc.constantFrom(0, 2)).map(([payload, indent]) => JSON.stringify(payload, null, indent)),
  fc.constantFrom(
    '',
    'not json',
    '\uFEFF{}',
    '{"credits":1e400, "serverId":"11"}',
    `${'['.repeat(200)}${']'.repeat(200)}`,
  ),
  fc.uint8Array({ maxLength: 40 }),
);
const anyDelivery = fc.record({
  body: anyBody.map((body) => Buffer.from(body)),
  secret: fc.oneof(anySecret, fc.constant('unknown')),
  signedForm: fc.constantFrom('bytes', 'json', 'nothing'),
});

function signatureOf({ body, secret, signedForm }: typeof anyDelivery extends fc.Arbitrary<infer D> ? D : never) {
  const serialised = reserialised(parseJson(body.toString('utf8')));
  if (signedForm === 'bytes' || serialised === null) return sign(body, secret);
  return signedForm === 'json' ? sign(serialised, secret) : sign('another body', secret);
}

it('accepts the same deliveries as an attempt with every secret', () => {
  fc.assert(
    fc.property(anyListings, fc.array(anyDelivery, { maxLength: 8 }), (listings, deliveries) => {
      const directory = directoryOf(listings);
      for (const delivery of deliveries) {
        const signature = signatureOf(delivery);
        expect(verify(directory, delivery.body, signature)).toEqual(tryEverySecret(listings, delivery.body, signature));
      }
    }),
    { numRuns: 400 },
  );
});

describe.each([1, 200])('with %i secrets', (count) => {
  const directory = directoryOf(manyListings(count));
  const body = JSON.stringify({ event: 'server_vote', userId: '42' });

  it('accepts the last one, also for a body that was serialised again', () => {
    const scopes = [{ name: `listing-${count - 1}`, family: 'vote' }];
    const signature = sign(body, `vote-${count - 1}`);
    expect(verify(directory, body, signature)).toMatchObject({ text: body, scopes });
    const indented = JSON.stringify(JSON.parse(body), null, 2);
    expect(verify(directory, indented, signature)).toMatchObject({ text: body, scopes });
    expect(verify(directory, indented, sign(indented, `vote-${count - 1}`))).toMatchObject({ text: indented, scopes });
  });
});
