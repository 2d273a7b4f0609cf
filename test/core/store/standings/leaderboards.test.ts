import { second } from '@tallyhook/platform/durations';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLeaderboards, scoreCounts } from '../../../../src/core/store/standings/standings.ts';

const board = { period: 'all', by: 'votes' } as const;

/** Leaderboards over members with one vote each; `size` accounts are read. */
function leaderboardsOf({ size, hasVersion = false }: { readonly size: number; readonly hasVersion?: boolean }) {
  const clock = manualClock(0);
  const state = { counted: 0, read: 0, version: 1, fails: false };
  const reader = {
    async count() {
      state.counted += 1;
      const members = state.counted;
      await Promise.resolve();
      if (state.fails) throw new Error('no database');
      return { counts: new Map([[1, members]]), ends: [], size };
    },
    async members() {
      state.read += 1;
      return Array.from({ length: state.counted }, (_, index) => ({ userId: String(index + 1), score: 1 }));
    },
    countEqualBefore: async () => 0,
    scoreOf: async () => 0,
  };
  const leaderboards = createLeaderboards(() => reader, clock, hasVersion ? () => state.version : null);
  const page = (day = 1, options: object = {}) =>
    leaderboards.page({ ...board, limit: 10, offset: 0, userId: null, ...options }, day, clock.now());
  /** How many members the page has that a request gets. */
  const total = async (day?: number) => (await page(day)).total;
  return { clock, state, page, total };
}

it('reads a small community for each request', async () => {
  const { total } = leaderboardsOf({ size: 2_000 });
  expect([await total(), await total(), await total()]).toEqual([1, 2, 3]);
});

it('reads nothing while nothing has changed, until the next day, and returns the same page', async () => {
  const { state, page, total } = leaderboardsOf({ size: 10, hasVersion: true });
  const first = await page();
  expect(await page()).toBe(first);
  expect(await total(2)).toBe(2);
  state.version += 1;
  expect(await total(2)).toBe(3);
});

it('uses what was read of a large community for five seconds, and says so after one', async () => {
  const { clock, page, total } = leaderboardsOf({ size: 2_001 });
  const first = await page();
  await clock.advance(second - 1);
  expect(await page()).toBe(first);
  await clock.advance(1);
  const later = await page();
  expect(later).toEqual({ ...first, asOf: 0, isCurrent: false });
  await clock.advance(4 * second - 1);
  expect(await page()).toBe(later);
  expect(await total(2)).toBe(2);
  await clock.advance(1);
  expect(await page()).toMatchObject({ total: 3, asOf: 5 * second, isCurrent: true });
});

it('reads once for all who ask at the same time, and the members of a page once for all members', async () => {
  const { state, page } = leaderboardsOf({ size: 2_001 });
  await Promise.all([page(), page(), page(1, { userId: '7' })]);
  await page(1, { userId: '8' });
  expect(state).toMatchObject({ counted: 1, read: 1 });
});

it('reads again after an error', async () => {
  const { state, total } = leaderboardsOf({ size: 2_001, hasVersion: true });
  state.fails = true;
  await Promise.all([1, 2].map(() => expect(total()).rejects.toThrow('no database')));
  expect(state.counted).toBe(1);
  state.fails = false;
  expect(await total()).toBe(2);
});

function countsOf(scores: readonly number[]) {
  return scoreCounts(new Map(scores.map((score) => [score, scores.filter((other) => other === score).length])));
}

it('counts who is above a score, and has the score of each place', () => {
  const counts = countsOf([5, 7, 7, 9]);
  expect([10, 9, 8, 7, 6, 5, 1, 0, -3].map(counts.countAbove)).toEqual([0, 0, 1, 1, 3, 3, 4, 4, 4]);
  expect([10, 9, 8, 7, 6, 5, 1].map(counts.countFrom)).toEqual([0, 1, 1, 3, 3, 4, 4]);
  expect([0, 1, 2, 3].map(counts.scoreAt)).toEqual([9, 7, 7, 5]);
  expect(counts).toMatchObject({ total: 4, sum: 28 });
  expect([countsOf([]).total, countsOf([]).countAbove(0)]).toEqual([0, 0]);
});

it('agrees with a sort of all scores', () => {
  const score = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }));
  fc.assert(
    fc.property(fc.array(score, { maxLength: 60 }), score, (scores, other) => {
      const counts = countsOf(scores);
      expect(scores.map((_, place) => counts.scoreAt(place))).toEqual(scores.toSorted((a, b) => b - a));
      for (const each of [...scores, other]) {
        expect(counts.countAbove(each)).toBe(scores.filter((one) => one > each).length);
        expect(counts.countFrom(each)).toBe(scores.filter((one) => one >= each).length);
      }
    }),
  );
});
