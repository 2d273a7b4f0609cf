import { expect, it } from 'vitest';
import { coalesce } from '../../src/http/coalesce.ts';
import { manualClock } from '../../testing/manual-clock.ts';

/** Counts its runs; each waits for `settle`. */
function loading(ttlMs: number) {
  let runs = 0;
  let pending = Promise.withResolvers<number>();
  const clock = manualClock();
  const read = coalesce(
    () => {
      runs += 1;
      return pending.promise;
    },
    ttlMs,
    clock,
  );
  return {
    read,
    clock,
    runs: () => runs,
    settle(error?: Error) {
      if (error === undefined) pending.resolve(runs);
      else pending.reject(error);
      pending = Promise.withResolvers<number>();
    },
  };
}

it('runs once for all concurrent callers, however long it takes', async () => {
  const { read, clock, runs, settle } = loading(0);
  const first = read();
  await clock.advance(20);
  const second = read();
  settle();
  expect(await Promise.all([first, second])).toEqual([1, 1]);
  expect(runs()).toBe(1);
});

it('returns the same value until the TTL is over', async () => {
  const { read, clock, runs, settle } = loading(50);
  const first = read();
  settle();
  await first;
  await clock.advance(49);
  expect(await read()).toBe(1);
  await clock.advance(1);
  const again = read();
  settle();
  expect(await again).toBe(2);
  expect(runs()).toBe(2);
});

it('shares a failure with the waiting callers, and then runs again', async () => {
  const { read, runs, settle } = loading(10_000);
  const both = [read(), read()];
  settle(new Error('locked'));
  for (const each of both) await expect(each).rejects.toThrow('locked');
  const again = read();
  settle();
  expect(await again).toBe(2);
  expect(runs()).toBe(2);
});
