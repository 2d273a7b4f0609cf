import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createRankingCache } from '../../../../src/core/store/standings/ranking-cache.ts';
import { minute } from '../../../../src/platform/durations.ts';
import { manualClock } from '../../../support/manual-clock.ts';

/** A cache over scans that read `state.size` members and take `state.takesMs`. */
function cacheOver(initial: { size: number; takesMs: number }) {
  const clock = manualClock(0);
  const state = { ...initial, scans: 0, running: 0, fails: false, isUnchanged: false };
  const current = createRankingCache(async (day) => {
    state.scans += 1;
    state.running += 1;
    const { size, scans: number } = state;
    if (state.takesMs > 0) await clock.sleep(state.takesMs);
    else await nextTurn();
    state.running -= 1;
    if (state.fails) throw new Error('no database');
    return { size, day, number, isUnchanged: () => state.isUnchanged };
  }, clock);
  /** The scan that a request got. */
  const request = async (day = 1) => (await current(day)).number;
  return { clock, state, request };
}

it('scans a small community for each request', async () => {
  const { state, request } = cacheOver({ size: 2_000, takesMs: 0 });
  expect([await request(), await request(), await request()]).toEqual([1, 2, 3]);
  expect(state.scans).toBe(3);
});

it('does not scan while nothing has changed, until the next day', async () => {
  const { state, request } = cacheOver({ size: 10, takesMs: 0 });
  state.isUnchanged = true;
  expect([await request(), await request()]).toEqual([1, 1]);
  expect(await request(2)).toBe(2);
  state.isUnchanged = false;
  expect(await request(2)).toBe(3);
});

it('gives each of many concurrent requests a scan that began after it, one at a time', async () => {
  const { clock, state, request } = cacheOver({ size: 10, takesMs: 5 });
  const first = request();
  await nextTurn();
  const others = [request(), request(), request()];
  expect(state).toMatchObject({ scans: 1, running: 1 });
  await clock.advance(20);
  expect(await first).toBe(1);
  expect(await Promise.all(others)).toEqual([2, 2, 2]);
  const later = [request(), request()];
  await clock.advance(20);
  expect(await Promise.all(later)).toEqual([3, 4]);
  expect(state.scans).toBe(4);
});

it('repeats a scan of a large community so seldom that it takes one percent of the time', async () => {
  const { clock, state, request } = cacheOver({ size: 2_001, takesMs: 200 });
  const first = [request(), request()];
  await clock.advance(200);
  expect(await Promise.all(first)).toEqual([1, 1]);
  await clock.advance(200 * 99 - 1);
  expect(await request()).toBe(1);
  await clock.advance(1);
  // From now on a scan runs in the background.
  expect([await request(), await request()]).toEqual([1, 1]);
  expect(state.scans).toBe(2);
  await clock.advance(200);
  expect(await request()).toBe(2);
});

it('repeats a very long scan before its result is too old to be used', async () => {
  const { clock, state, request } = cacheOver({ size: 2_001, takesMs: 10_000 });
  const first = request();
  await clock.advance(10_000);
  await first;
  await clock.advance(5 * minute);
  expect(await request()).toBe(1);
  expect(state.scans).toBe(2);
});

it('waits for a short scan instead of returning old data', async () => {
  const { clock, request } = cacheOver({ size: 2_001, takesMs: 50 });
  const first = request();
  await clock.advance(50);
  await first;
  await clock.advance(5_000);
  const second = request();
  await clock.advance(50);
  expect(await second).toBe(2);
});

it('uses no result of another day, nor one that is older than ten minutes', async () => {
  const { clock, request } = cacheOver({ size: 2_001, takesMs: 200 });
  const requestAndWait = async (day: number) => {
    const requested = request(day);
    await clock.advance(200);
    return requested;
  };
  expect(await requestAndWait(1)).toBe(1);
  expect(await requestAndWait(2)).toBe(2);
  await clock.advance(10 * minute);
  expect(await requestAndWait(2)).toBe(3);
});

it('continues after a failed scan', async () => {
  const { clock, state, request } = cacheOver({ size: 10, takesMs: 5 });
  state.fails = true;
  const failing = [request(), request()].map((each) => expect(each).rejects.toThrow('no database'));
  await clock.advance(20);
  await Promise.all(failing);
  state.fails = false;
  const next = request();
  await clock.advance(5);
  expect(await next).toBe(3);
});
