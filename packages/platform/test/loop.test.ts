import { describe, expect, it, onTestFinished } from 'vitest';
import { createLoop } from '../src/loop.ts';
import { eventually } from '../testing/eventually.ts';

/** A clock whose sleepers wait until they are woken; records how long they would have slept (ms). */
function sleepingClock() {
  const pauses: number[] = [];
  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      pauses.push(ms);
      signal?.addEventListener('abort', () => resolve());
      if (signal?.aborted) resolve();
    });
  return { pauses, sleep };
}

function startLoop(options: Partial<Parameters<typeof createLoop>[0]>) {
  const clock = sleepingClock();
  const loop = createLoop({ round: async () => {}, pauseMs: 5, onError: () => {}, clock, ...options });
  onTestFinished(loop.stop);
  loop.start();
  return { loop, ...clock };
}

describe('a loop', () => {
  it('pauses after each round, and repeats one that has more to do at once', async () => {
    const results = [true, true, false, undefined];
    let rounds = 0;
    const { loop, pauses } = startLoop({ round: async () => results[rounds++] });
    await eventually(() => expect(pauses).toEqual([5]));
    expect(rounds).toBe(3);
    loop.wake();
    await eventually(() => expect(pauses).toEqual([5, 5]));
    expect(rounds).toBe(4);
  });

  it('asks for the length of each pause', async () => {
    let next = 1;
    const { loop, pauses } = startLoop({ pauseMs: () => next++ });
    await eventually(() => expect(pauses).toEqual([1]));
    loop.wake();
    await eventually(() => expect(pauses).toEqual([1, 2]));
  });

  it('goes on after an error, and says whether the last round failed too', async () => {
    const errors: unknown[] = [];
    const failing = [true, true, false, true];
    let rounds = 0;
    const { loop, pauses } = startLoop({
      async round() {
        const number = rounds++;
        if (failing[number]) throw new Error(`round ${number}`);
      },
      onError: (error, isRepeated) => errors.push([String(error), isRepeated]),
    });
    for (let pause = 1; pause <= failing.length; pause += 1) {
      await eventually(() => expect(pauses.length).toBe(pause));
      loop.wake();
    }
    expect(errors).toEqual([
      ['Error: round 0', false],
      ['Error: round 1', true],
      ['Error: round 3', false],
    ]);
  });

  it('ends its round when it is stopped, whose error is not reported', async () => {
    const errors: unknown[] = [];
    let hasEnded = false;
    const { loop } = startLoop({
      async round(signal) {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        hasEnded = true;
        throw signal.reason;
      },
      onError: (error) => errors.push(error),
    });
    await loop.stop();
    expect([hasEnded, errors]).toEqual([true, []]);
  });

  it('starts once', async () => {
    let rounds = 0;
    const { loop, pauses } = startLoop({ round: async () => (rounds += 1) });
    loop.start();
    await eventually(() => expect(pauses.length).toBe(1));
    expect(rounds).toBe(1);
  });
});
