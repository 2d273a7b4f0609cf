import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { settleWithin, TimeoutError, withTimeout } from '../src/with-timeout.ts';
import { manualClock } from '../testing/manual-clock.ts';

describe('settleWithin', () => {
  it('needs no timer for a settled promise', async () => {
    let timers = 0;
    const sleep = async () => {
      timers += 1;
    };
    const noClock = { ...manualClock(), sleep };
    expect(await settleWithin(1_000, noClock, Promise.resolve('here'))).toBe('here');
    expect(await settleWithin(1_000, noClock, Promise.reject(new Error('broken')))).toBeUndefined();
    await nextTurn();
    expect(timers).toBe(0);
  });

  it('waits for a promise that settles in time', async () => {
    const clock = manualClock();
    const { promise, resolve } = Promise.withResolvers<string>();
    const waiting = settleWithin(1_000, clock, promise);
    await nextTurn();
    await clock.advance(999);
    resolve('here');
    expect(await waiting).toBe('here');
  });

  it('ends the timer when the promise settles', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const clock = manualClock();
    const watchedClock = {
      ...clock,
      sleep: (ms: number, signal?: AbortSignal) => {
        signals.push(signal);
        return clock.sleep(ms, signal);
      },
    };
    const { promise, resolve } = Promise.withResolvers<string>();
    const waiting = settleWithin(1_000, watchedClock, promise);
    await nextTurn();
    expect(signals.map((signal) => signal?.aborted)).toEqual([false]);
    resolve('here');
    expect(await waiting).toBe('here');
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  });

  it('measures the timeout from the call, even if the event loop was busy', async () => {
    let now = 0;
    const sleeps: number[] = [];
    const busyClock = { ...manualClock(), monotonic: () => now, sleep: async (ms: number) => void sleeps.push(ms) };
    const waiting = settleWithin(1_000, busyClock, new Promise(() => {}));
    now = 600;
    await waiting;
    const second = settleWithin(1_000, busyClock, new Promise(() => {}));
    now = 2_000;
    await second;
    expect(sleeps).toEqual([400, 0]);
  });

  it('is undefined on timeout and on rejection', async () => {
    const clock = manualClock();
    const waiting = settleWithin(1_000, clock, new Promise(() => {}));
    await nextTurn();
    await clock.advance(1_000);
    expect(await waiting).toBeUndefined();
    const { promise, reject } = Promise.withResolvers<string>();
    const failing = settleWithin(1_000, clock, promise);
    await nextTurn();
    reject(new Error('broken'));
    expect(await failing).toBeUndefined();
  });
});

describe('withTimeout', () => {
  it('returns the value, and rejects with the error of the promise or with a TimeoutError', async () => {
    const clock = manualClock();
    expect(await withTimeout(1_000, clock, Promise.resolve('value'))).toBe('value');
    await expect(withTimeout(1_000, clock, Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    const waiting = withTimeout(1_000, clock, new Promise(() => {}));
    await nextTurn();
    await Promise.all([expect(waiting).rejects.toThrow(TimeoutError), clock.advance(1_000)]);
  });
});
