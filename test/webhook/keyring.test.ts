import { parseJson } from '@tallyhook/platform/json';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type ListingWithSecrets, withoutSecrets } from '../../src/core/receiving/listing.ts';
import type { Family } from '../../src/webhook/event.ts';
import { createKeyring } from '../../src/webhook/keyring.ts';
import { isSignedWith, sign } from '../../src/webhook/signature.ts';
import { reserialised } from '../../src/webhook/signed-form.ts';
import { serverAndBot } from '../support/listings.ts';

const digest = vi.hoisted(() => ({ count: 0 }));

/** The real functions; the digests of the receiver are counted. */
vi.mock('node:crypto', async (importOriginal) => {
  const crypto = await importOriginal<typeof import('node:crypto')>();
  const hash = (...args: Parameters<typeof crypto.hash>) => {
    digest.count += 1;
    return crypto.hash(...args);
  };
  return { ...crypto, hash };
});

/** The number of secrets that are tried meanwhile; each takes two digests. */
async function countTries(run: () => Promise<unknown>): Promise<number> {
  const before = digest.count;
  await run();
  return (digest.count - before) / 2;
}

const families = ['vote', 'premium'] as const;

function received(body: Buffer | string) {
  const bytes = Buffer.from(body);
  const text = bytes.toString('utf8');
  return { bytes, text, json: parseJson(text) };
}

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

const [listing] = serverAndBot() as [ListingWithSecrets, ListingWithSecrets];

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
    if (scopes.length > 0) return { text: signedText, json: parseJson(signedText), scopes };
  }
  return null;
}

async function verify(
  keyring: ReturnType<typeof createKeyring>,
  body: Buffer | string,
  signature: string,
  family: Family | null,
) {
  const verified = await keyring.verify(received(body), signature, family);
  if (verified === null || verified === 'busy') return verified;
  const { text, json, scopes } = verified;
  return { text, json, scopes: scopes.map(({ listing: { name }, family: scope }) => ({ name, family: scope })) };
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
  family: fc.constantFrom(null, ...families),
});

function signatureOf({ body, secret, signedForm }: typeof anyDelivery extends fc.Arbitrary<infer D> ? D : never) {
  const serialised = reserialised(parseJson(body.toString('utf8')));
  if (signedForm === 'bytes' || serialised === null) return sign(body, secret);
  return signedForm === 'json' ? sign(serialised, secret) : sign('another body', secret);
}

describe('a keyring', () => {
  it('accepts the same deliveries as an attempt with every secret, in any order of deliveries', async () => {
    await fc.assert(
      fc.asyncProperty(anyListings, fc.array(anyDelivery, { maxLength: 8 }), async (listings, deliveries) => {
        const keyring = createKeyring(listings, withoutSecrets);
        for (const delivery of deliveries) {
          const signature = signatureOf(delivery);
          const expected = tryEverySecret(listings, delivery.body, signature);
          const actual = await verify(keyring, delivery.body, signature, delivery.family);
          expect(actual).toEqual(expected);
        }
      }),
      { numRuns: 400 },
    );
  });

  describe('with 1,000 listings', () => {
    const vote = (target: object) => JSON.stringify({ event: 'server_vote', userId: '42', ...target });

    it('tries only the secrets of the listing that the body names, and of the family of the path', async () => {
      const keyring = createKeyring(manyListings(1_000), withoutSecrets);
      for (const target of [
        { serverId: '1999' },
        { server: { id: 1_999 } },
        { vendor: { type: 'server', id: '1999' } },
      ]) {
        for (const family of families) {
          const body = vote(target);
          const signature = sign(body, `${family}-999`);
          const name = 'listing-999';
          const tries = await countTries(async () => {
            expect(await verify(keyring, body, signature, family)).toMatchObject({ scopes: [{ name, family }] });
          });
          expect(tries).toBe(1);
          expect(await countTries(() => verify(keyring, body, signature, null))).toBeLessThanOrEqual(2);
        }
      }
    });

    it('tries the same few secrets for a body that was serialised again', async () => {
      const keyring = createKeyring(manyListings(1_000), withoutSecrets);
      const payload = { event: 'server_vote', userId: '42', serverId: '1999' };
      const signature = sign(JSON.stringify(payload), 'vote-999');
      const tries = await countTries(async () => {
        expect(await verify(keyring, JSON.stringify(payload, null, 2), signature, 'vote')).not.toBe(null);
      });
      expect(tries).toBe(2);
    });

    it.each([
      ['the listings have no configured ID', () => ({ id: null })],
      ['the configured IDs are those of other listings', (index: number) => ({ id: String(5_000 - index) })],
    ])('remembers the secret of a target if %s', async (_case, changes) => {
      const keyring = createKeyring(manyListings(1_000, changes), withoutSecrets);
      for (const index of [999, 500, 0]) {
        const body = vote({ serverId: String(1_000 + index) });
        const signature = sign(body, `vote-${index}`);
        const expected = { scopes: [{ name: `listing-${index}`, family: 'vote' }] };
        expect(await verify(keyring, body, signature, 'vote')).toMatchObject(expected);
        const tries = await countTries(async () => {
          expect(await verify(keyring, body, signature, 'vote')).toMatchObject(expected);
        });
        expect(tries).toBe(1);
      }
    });

    it('remembers nothing of a forged delivery, and accepts every secret after it', async () => {
      const keyring = createKeyring(manyListings(1_000), withoutSecrets);
      const body = vote({ serverId: '1999' });
      const tries = await countTries(async () => {
        expect(await verify(keyring, body, sign(body, 'forged'), 'vote')).toBe(null);
      });
      expect(tries).toBe(2_000);
      expect(await countTries(() => verify(keyring, body, sign(body, 'vote-999'), 'vote'))).toBe(1);
      expect(await verify(keyring, body, sign(body, 'vote-3'), 'vote')).toMatchObject({
        scopes: [{ name: 'listing-3', family: 'vote' }],
      });
    });

    it('does not delay genuine deliveries by forged ones', async () => {
      const keyring = createKeyring(manyListings(1_000), withoutSecrets);
      const body = vote({ serverId: '1999' });
      const genuine = sign(body, 'vote-999');
      const forged = Array.from({ length: 100 }, () => verify(keyring, body, sign(body, 'forged'), 'vote'));
      // In each turn of the event loop only one forged delivery continues, for about a hundred secrets.
      for (let turn = 0; turn < 50; turn += 1) {
        const tries = await countTries(async () => {
          await new Promise(setImmediate);
          expect(await verify(keyring, body, genuine, 'vote')).not.toBe(null);
        });
        expect(tries).toBeLessThan(300);
      }
      expect(await Promise.all(forged)).toEqual(forged.map(() => null));
    });

    it('rejects deliveries whose search would have to wait for too many others', async () => {
      const keyring = createKeyring(manyListings(100), withoutSecrets);
      const body = vote({ serverId: '1099', note: 'x'.repeat(60 * 1024) });
      const searches = Array.from({ length: 100 }, () => verify(keyring, body, sign(body, 'forged'), 'vote'));
      expect(await verify(keyring, body, sign(body, 'vote-3'), 'vote')).toBe('busy');
      expect(await verify(keyring, body, sign(body, 'vote-99'), 'vote')).toMatchObject({ text: body });
      expect(new Set(await Promise.all(searches))).toEqual(new Set([null, 'busy']));
      expect(await verify(keyring, body, sign(body, 'vote-3'), 'vote')).toMatchObject({ text: body });
    });

    it('checks a delivery against the previous secrets if they are replaced during its search', async () => {
      const keyring = createKeyring(manyListings(1_000), withoutSecrets);
      const body = vote({});
      const search = verify(keyring, body, sign(body, 'vote-999'), 'vote');
      keyring.replace([]);
      expect(await search).toMatchObject({ scopes: [{ name: 'listing-999', family: 'vote' }] });
      expect(await verify(keyring, body, sign(body, 'vote-999'), 'vote')).toBe(null);
    });

    it('finds an Authorization value without a comparison with each', () => {
      const listings = manyListings(1_000, (index) => ({ voteAuthorization: `value ${index % 500}` }));
      const keyring = createKeyring(listings, withoutSecrets);
      const names = (value: string) => keyring.authorize(value).map(({ listing: { name } }) => name);
      expect(names('value 7')).toEqual(['listing-7', 'listing-507']);
      for (const value of ['', 'value', 'value 7 ', 'Value 7', 'value 500']) expect(names(value)).toEqual([]);
    });
  });
});
