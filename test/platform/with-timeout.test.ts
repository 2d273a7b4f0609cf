import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { settleWithin } from '../../src/platform/with-timeout.ts';
import { manualClock } from '../support/manual-clock.ts';

describe('patience', () => {
  it('takes what is at hand without a look at the clock', async () => {
    const noClock = { ...manualClock(), sleep: () => Promise.reject(new Error('asked')) };
    expect(await settleWithin(1_000, noClock, Promise.resolve('here'))).toBe('here');
    expect(await settleWithin(1_000, noClock, Promise.reject(new Error('broken')))).toBeUndefined();
  });

  it('waits for what comes in time', async () => {
    const clock = manualClock();
    const { promise, resolve } = Promise.withResolvers<string>();
    const waiting = settleWithin(1_000, clock, promise);
    await wait(1);
    await clock.advance(999);
    resolve('here');
    expect(await waiting).toBe('here');
  });

  it('counts from the beginning, however much else went on before it could look at the clock again', async () => {
    let now = 0;
    const slept: number[] = [];
    const busy = { ...manualClock(), monotonic: () => now, sleep: async (ms: number) => void slept.push(ms) };
    const waiting = settleWithin(1_000, busy, new Promise(() => {}));
    now = 600;
    await waiting;
    const late = settleWithin(1_000, busy, new Promise(() => {}));
    now = 2_000;
    await late;
    expect(slept).toEqual([400, 0]);
  });

  it('ends when its time is up, and when the other fails', async () => {
    const clock = manualClock();
    const waiting = settleWithin(1_000, clock, new Promise(() => {}));
    await wait(1);
    await clock.advance(1_000);
    expect(await waiting).toBeUndefined();
    const { promise, reject } = Promise.withResolvers<string>();
    const failing = settleWithin(1_000, clock, promise);
    await wait(1);
    reject(new Error('broken'));
    expect(await failing).toBeUndefined();
  });
});
