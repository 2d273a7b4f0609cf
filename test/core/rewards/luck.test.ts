import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ListingRewards } from '../../../src/core/rewards/rules.ts';
import { drawOf } from '../../../src/core/tally/idempotency-key.ts';
import { decideAll, extras, plainRewards, voteContext } from './rewards-fixture.ts';

const hour = 3_600_000;
const secret = 'a secret for tests';
const sha256 = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest();

/** HMAC as RFC 2104 defines it, and its first 48 bits as the digits of a binary fraction. */
function slowDraw(key: string, name: string): number {
  const padded = Buffer.alloc(64);
  padded.write(secret);
  const inner = sha256(padded.map((byte) => byte ^ 0x36) as Buffer, Buffer.from(`luck ${key} ${name}`));
  const digest = sha256(padded.map((byte) => byte ^ 0x5c) as Buffer, inner);
  const bits = [...digest.subarray(0, 6)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.split('').reduce((sum, bit, place) => sum + Number(bit) / 2 ** (place + 1), 0);
}

it('is decided by the secret, the key of the vote and the name, whatever the order of arrival', () => {
  const chance = fc.double({ min: 0, max: 1, noNaN: true });
  const hours = fc.uniqueArray(fc.integer({ min: 0, max: 9_000 }), { maxLength: 30 });
  const arrivals = hours.chain((all) =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
  );
  fc.assert(
    fc.property(chance, chance, arrivals, (rare, other, orders) => {
      const luck = [
        { chance: rare, credits: 100, name: 'Jackpot' },
        { chance: other, credits: 7, name: 'Small prize ✨' },
      ];
      const rewards: ListingRewards = { ...plainRewards, luck };
      const [inTime, shuffled] = orders.map((order) =>
        decideAll(
          order.map((at) => ({ rewards, at: voteContext().at + at * hour, draw: drawOf(secret, `key ${at}`) })),
        ),
      );
      const expected = luck.flatMap((each) =>
        orders[0]
          .filter((at) => slowDraw(`key ${at}`, each.name) < each.chance)
          .map(() => `${each.credits} ${each.name}`),
      );
      const won = (decided: typeof inTime) =>
        extras(decided?.entries ?? []).map(({ cause, credits, reason, achievement }) => {
          expect([cause, achievement]).toEqual(['luck', null]);
          return `${credits} ${reason}`;
        });
      expect(won(inTime).sort()).toEqual(expected.sort());
      expect(won(shuffled).sort()).toEqual(expected.sort());
    }),
    { numRuns: 200 },
  );
});

it('is had by no vote with the chance 0, by each with 1, and by none within the cooldown', () => {
  const luck = [
    { chance: 0, credits: 5, name: 'Never' },
    { chance: 1, credits: 3, name: 'Always' },
  ];
  const rewards = { ...plainRewards, luck };
  const cast = (withinCooldown: boolean) => decideAll([{ rewards, withinCooldown, draw: drawOf(secret, 'key') }]);
  expect(extras(cast(false).entries).map(({ reason }) => reason)).toEqual(['Always']);
  expect(cast(true).entries).toHaveLength(1);
});
