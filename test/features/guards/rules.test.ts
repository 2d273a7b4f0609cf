import { hour, minute, second } from '@tallyhook/platform/durations';
import { array, assert, bigInt, boolean, integer, property, record, subarray } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findRobots } from '../../../src/features/guards/robots.ts';
import { guardAgainst } from '../../../src/features/guards/rules.ts';

/** Few ids and ages, so that limits are met exactly. Ids are from the first hours of Discord, in 2015. */
const epoch = Date.parse('2015-01-01T00:00:00.000Z');
const ids = array(bigInt(0n, 20n), { minLength: 1, maxLength: 6 }).map((hours) =>
  hours.map((each, index) => (each * BigInt(hour) * 2n ** 22n + BigInt(index)).toString()),
);

/** The same by what the documents say, with a calendar date instead of a shift of bits. */
function expected(
  vote: { userId: string; at: number; isMember: boolean },
  rules: { blocked: readonly string[]; minAccountAgeMs: number; membersOnly: boolean },
) {
  if (rules.blocked.some((each) => each === vote.userId)) return 'blocked';
  const created = new Date(epoch);
  created.setTime(created.getTime() + Number(BigInt(vote.userId) / 4_194_304n));
  const oldEnoughAt = new Date(created.getTime() + rules.minAccountAgeMs);
  if (new Date(vote.at) < oldEnoughAt) return 'account_too_new';
  if (rules.membersOnly) return vote.isMember ? null : 'unknown_member';
  return null;
}

describe('a vote', () => {
  it('is paid, refused, or asked about as the guards say', () => {
    const cases = ids.chain((users) =>
      record({
        blocked: subarray(users),
        userId: integer({ min: 0, max: users.length - 1 }).map((index) => users[index] ?? '0'),
        at: integer({ min: 0, max: 40 }).map((hours) => epoch + hours * hour),
        minAccountAgeMs: integer({ min: 0, max: 20 }).map((hours) => hours * hour),
        membersOnly: boolean(),
        isMember: boolean(),
      }),
    );
    const seen = new Set<string | null>();
    assert(
      property(cases, ({ userId, at, isMember, ...rules }) => {
        const decided = guardAgainst({ userId, at, isMember }, { ...rules, hiddenRoles: [] });
        seen.add(decided);
        expect(decided).toBe(expected({ userId, at, isMember }, rules));
      }),
      { numRuns: 1_000 },
    );
    expect([...seen].map(String).toSorted()).toEqual(['account_too_new', 'blocked', 'null', 'unknown_member']);
  });
});

describe('an account', () => {
  const every = integer({ min: minute, max: 24 * hour });
  const jitters = (max: number) => array(integer({ min: 0, max }), { minLength: 14, maxLength: 20 });
  const timesOf = (start: number, gaps: readonly number[]) =>
    gaps.reduce<number[]>((times, gap) => [...times, (times.at(-1) ?? start) + gap], [start]);
  const robotsIn = (times: readonly number[]) => findRobots({ votes: [{ userId: '1', listing: 'lamp', times }] });

  it('votes like a clock if its intervals differ by less than a minute, whatever they are', () => {
    assert(
      property(every, jitters(minute - 1), (interval, jitter) => {
        const gaps = jitter.map((each) => interval + each);
        const newest = gaps.slice(-13);
        expect(robotsIn(timesOf(0, gaps))).toMatchObject([
          { userId: '1', shortest: Math.min(...newest), longest: Math.max(...newest) },
        ]);
      }),
    );
  });

  it('votes like a person if any of the last 13 intervals is a minute longer than another', () => {
    assert(
      property(every, jitters(10 * second), integer({ min: 0, max: 12 }), (interval, jitter, place) => {
        const gaps = jitter.map((each) => interval + each);
        const shortest = Math.min(...gaps.slice(-13).filter((_, index) => index !== place));
        gaps[gaps.length - 13 + place] = shortest + minute;
        expect(robotsIn(timesOf(0, gaps))).toEqual([]);
      }),
    );
  });

  it('is judged by its newest 14 votes alone, and not before it has as many', () => {
    const regular = Array.from({ length: 13 }, () => 12 * hour);
    expect(robotsIn(timesOf(0, regular.slice(1)))).toEqual([]);
    expect(robotsIn(timesOf(0, regular))).toHaveLength(1);
    expect(robotsIn(timesOf(0, [50 * hour, 13 * hour, ...regular]))).toHaveLength(1);
    expect(robotsIn(timesOf(0, [...regular, 13 * hour]))).toEqual([]);
  });
});
