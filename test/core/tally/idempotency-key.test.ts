import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { premiumKeys, voteKey, voteKeys } from '../../../src/core/tally/idempotency-key.ts';
import type { Premium, Vote } from '../../../src/webhook/event.ts';
import { firstCommunity } from '../../support/communities.ts';

const newYear = Date.parse('2026-01-01T00:00:00Z');
const premium = { kind: 'premium_purchase', periodEnd: null, at: null } as Premium;
const delivery = { community: '', body: '{}', receivedAt: 20_000 * 86_400_000 + 1 };

/**
 * Computed with sha256sum, as `123 1:server`. What is stored is compared with these for ever, so they must not change.
 */
describe('the key', () => {
  const keyOf = (userId: string, at: number | null, listing: string) =>
    voteKey({ at, userId } as Vote, { name: listing, community: { id: firstCommunity } }, newYear);

  it('of an event never changes', () => {
    expect(keyOf('123', newYear, 'server')).toBe('019b76daa800e5d9f4c7d2fae798103d');
    expect(keyOf('80351110224678912', null, 'my bot')).toBe('019b76daa800f04e82c0bbca538c74d9');
    expect(keyOf('123', -1, 'server')).toBe('ffffffffffffe5d9f4c7d2fae798103d');
    expect(premiumKeys(premium, ['order-1'], delivery)).toEqual(['a338542d0b8a08f0023d94a736fab46b']);
  });

  it('orders votes by their time', () => {
    const since1970 = fc.integer({ min: 0, max: 2 ** 47 });
    fc.assert(
      fc.property(since1970, since1970, fc.string(), (one, other, userId) => {
        const [first = '', second = ''] = [one, other].map((at) => keyOf(userId, at, 'server'));
        expect(Math.sign(Number(first > second) - Number(first < second))).toBe(Math.sign(one - other));
      }),
    );
  });
});

describe('the keys of a vote on another site', () => {
  const topgg = { name: 'topgg', community: { id: firstCommunity } };
  const keysOf = (id: string, at: number | null) =>
    voteKeys({ userId: '123', at, atSite: { id, weight: 1, nextVoteAt: null } } as Vote, topgg, 0);

  /** Computed with sha256sum of `site 1:topgg` and `site 1:topgg <id>`. They must not change either. */
  it('are those of its time and of its ID, which contains the ID if that is a number', () => {
    const [time, ...others] = keysOf('808499215864008704', 1_767_225_600_000);
    expect(time).toMatch(/^019b76daa800/);
    expect(others).toEqual(['00808499215864008704de329ea54174']);
    expect(keysOf('vote_4b81e2', null)).toEqual(['3b3a9f5e8c33ca75a1601df6c54e86a6']);
    expect(keysOf('0123', null)).toEqual(['669fd67e23c75443bf176047b4e46aaf']);
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

describe('the key of a premium event', () => {
  const digest = (identity: string) => createHash('sha256').update(identity).digest('hex').slice(0, 32);

  it('is the digest of its order, its period or its body', () => {
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
