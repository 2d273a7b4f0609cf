import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventKeyDigest } from '../../../src/core/store/migrations/008-event-keys.ts';
import { premiumKeys, voteKey, voteKeys } from '../../../src/core/tally/idempotency-key.ts';
import type { Premium, Vote } from '../../../src/webhook/event.ts';

/** Computed with sha256sum. The stored digests are compared with these for ever, so they must not change. */
const digests: readonly (readonly [key: string, digest: string])[] = [
  ['2026-01-01T00:00:00.000Z 123 server', '019b76daa8005e177ca4f2ef7749266e'],
  ['2026-01-01T00:00:00.000Z 80351110224678912 my bot untimed', '019b76daa8005e52957046e43ba94b47'],
  ['1969-12-31T23:59:59.999Z 123 server', 'ffffffffffff5e177ca4f2ef7749266e'],
  ['premium_purchase order-1', 'a338542d0b8a08f0023d94a736fab46b'],
  // Not a time, so it is a text like any other.
  ['2026-13-01T00:00:00.000Z 1 server', '4f6ccc67c962b4067ccfa320a41443a0'],
];

describe('the digest of an idempotency key from before migration 008', () => {
  it.each(digests)('of "%s" is %s', (key, expected) => {
    expect(eventKeyDigest(key).toString('hex')).toBe(expected);
  });

  it('orders votes by their time', () => {
    const since1970 = fc.date({ min: new Date(0), max: new Date(2 ** 47), noInvalidDate: true });
    fc.assert(
      fc.property(since1970, since1970, fc.string(), (one, other, rest) => {
        const [first, second] = [one, other].map((at) => eventKeyDigest(`${at.toISOString()} ${rest}`));
        expect(Math.sign(Buffer.compare(first ?? Buffer.of(), second ?? Buffer.of()))).toBe(
          Math.sign(one.getTime() - other.getTime()),
        );
      }),
    );
  });
});

describe('the keys of a vote on another site', () => {
  const keysOf = (id: string, at: number | null) =>
    voteKeys({ userId: '123', at, atSite: { id, weight: 1, nextVoteAt: null } } as Vote, 'topgg', 0);

  /** Computed with sha256sum of `site topgg` and `site topgg <id>`. They must not change either. */
  it('are those of its time and of its ID, which contains the ID if that is a number', () => {
    const [time, ...others] = keysOf('808499215864008704', 1_767_225_600_000);
    expect(time).toMatch(/^019b76daa800/);
    expect(others).toEqual(['00808499215864008704b876a8ba4d31']);
    expect(keysOf('vote_4b81e2', null)).toEqual(['230abfbbf0175b12914fe6e68b6b8fda']);
    expect(keysOf('0123', null)).toEqual(['334b6bb26ceb6300940226b338ff94fb']);
  });

  it('ascend with IDs that are numbers, and differ where only the end of the ID does', () => {
    const start = 808_499_215_864_008_704n;
    const keys = Array.from(
      { length: 100 },
      (_, second) => keysOf(String(start + (BigInt(second * 1_000) << 22n)), null)[0],
    );
    expect(keys.toSorted()).toEqual(keys);
    expect(keysOf(String(start), null)).not.toEqual(keysOf(String(start + 1n), null));
  });
});

describe('the key of an event is the digest of its earlier key', () => {
  const time = fc
    .date({ min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
    .map((at) => at.getTime());
  const digest = (key: string) => eventKeyDigest(key).toString('hex');

  it('for a vote with and without a timestamp', () => {
    fc.assert(
      fc.property(fc.option(time), time, fc.string(), fc.string(), (at, receivedAt, userId, listing) => {
        const iso = new Date(at ?? receivedAt).toISOString();
        const expected = `${iso} ${userId} ${listing}${at === null ? ' untimed' : ''}`;
        expect(voteKey({ at, userId } as Vote, listing, receivedAt)).toBe(digest(expected));
      }),
    );
  });

  it('for a purchase, a renewal and an event without an order', () => {
    const delivery = { accounts: '', body: '{}', receivedAt: 20_000 * 86_400_000 + 1 };
    const premium = { kind: 'premium_purchase', periodEnd: null, at: null } as Premium;
    expect(premiumKeys(premium, ['a', 'b'], delivery)).toEqual([
      digest('premium_purchase a'),
      digest('premium_purchase b'),
    ]);
    const renewal: Premium = { ...premium, kind: 'subscription.renewed', periodEnd: 0 };
    expect(premiumKeys(renewal, ['a'], delivery)).toEqual([digest('subscription.renewed a 1970-01-01T00:00:00.000Z')]);
    const bodyDigest = createHash('sha256').update('{}').digest('hex');
    const identity = `premium_purchase sha256:${bodyDigest}`;
    for (const timed of [{ at: 5 }, { periodEnd: 5 }]) {
      expect(premiumKeys({ ...premium, ...timed }, [], delivery)).toEqual([digest(identity)]);
    }
    expect(premiumKeys(premium, [], delivery)).toEqual(
      [20_000, 19_999, 20_001].map((date) => digest(`${identity} ${date}`)),
    );
  });
});
