import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventKeyDigest } from '../../src/store/migrations/008-event-keys.ts';
import { digestOf } from '../../src/tally/idempotency-key.ts';

/** Computed with sha256sum. The stored digests are compared with these for ever, so they must not change. */
const digests: readonly (readonly [key: string, digest: string])[] = [
  ['2026-01-01T00:00:00.000Z 123 server', '019b76daa8005e177ca4f2ef7749266e'],
  ['2026-01-01T00:00:00.000Z 80351110224678912 my bot untimed', '019b76daa8005e52957046e43ba94b47'],
  ['1969-12-31T23:59:59.999Z 123 server', 'ffffffffffff5e177ca4f2ef7749266e'],
  ['premium_purchase order-1', 'a338542d0b8a08f0023d94a736fab46b'],
  // Not a time, so it is a text like any other.
  ['2026-13-01T00:00:00.000Z 1 server', '4f6ccc67c962b4067ccfa320a41443a0'],
];

describe.each([
  ['the program', digestOf],
  ['the migration', eventKeyDigest],
])('the digest of an idempotency key, as computed by %s', (_name, digest) => {
  it.each(digests)('of "%s" is %s', (key, expected) => {
    expect(digest(key).toString('hex')).toBe(expected);
  });

  it('orders votes by their time', () => {
    const since1970 = fc.date({ min: new Date(0), max: new Date(2 ** 47), noInvalidDate: true });
    fc.assert(
      fc.property(since1970, since1970, fc.string(), (one, other, rest) => {
        const [first, second] = [one, other].map((at) => digest(`${at.toISOString()} ${rest}`));
        expect(Math.sign(Buffer.compare(first ?? Buffer.of(), second ?? Buffer.of()))).toBe(
          Math.sign(one.getTime() - other.getTime()),
        );
      }),
    );
  });
});

it('has the same digest in the program and in the migration, whatever the key', () => {
  const iso = fc
    .date({ min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
    .map((at) => at.toISOString());
  const key = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.tuple(iso, fc.string()).map((parts) => parts.join(' ')),
  );
  fc.assert(
    fc.property(key, (text) => {
      expect(digestOf(text)).toEqual(eventKeyDigest(text));
      expect(digestOf(text)).toHaveLength(16);
    }),
  );
});
