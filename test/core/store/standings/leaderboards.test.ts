import { second } from '@tallyhook/platform/durations';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { expect, it } from 'vitest';
import { createLeaderboards } from '../../../../src/core/store/standings/standings.ts';

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
