import { systemClock } from '@tallyhook/platform/clock';
import { hour, minute, second } from '@tallyhook/platform/durations';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type BudgetStore, createBudget, memoryBudgetStore } from '../../src/lookup/budget.ts';
import type { LookupError } from '../../src/lookup/lookup-error.ts';
import { lookupErrorOf } from './lookup-fixture.ts';

/** The document, section 8. */
const requestLimit = 120;
const timeoutMs = 5 * second;
const windowMs = minute + timeoutMs + second;

/** A budget whose clock shows the time passed to each call, unless it was set. */
function budgetOn(log: BudgetStore, keyId = 'key') {
  let elapsedMs = 0;
  let offsetMs = 0;
  const clock = { ...systemClock, now: () => elapsedMs + offsetMs, monotonic: () => elapsedMs };
  const budget = createBudget({ log, keyId, timeoutMs, clock });
  return {
    blockUntil: (until: number) => budget.blockUntil(until),
    acquire(at: number) {
      elapsedMs = at;
      return budget.acquire();
    },
    remaining(at: number) {
      elapsedMs = at;
      return budget.remaining();
    },
    /** Sets the wall clock forward, or back if negative. */
    set(ms: number) {
      offsetMs += ms;
    },
  };
}

function withSpy(log: BudgetStore) {
  return { ...log, acquire: vi.fn(log.acquire) };
}

async function acquireAll(budget: ReturnType<typeof budgetOn>, at: number) {
  for (let spent = 0; spent < requestLimit; spent++) await budget.acquire(at);
}

async function overBudgetError(acquisition: Promise<void>): Promise<LookupError> {
  const error = await lookupErrorOf(acquisition);
  expect(error.code).toBe('lookup_over_budget');
  return error;
}

/** The maximum number of times in any minute. */
function maxPerMinute(arrivals: readonly number[]): number {
  const sorted = [...arrivals].sort((a, b) => a - b);
  let first = 0;
  return sorted.reduce((highest, arrival, index) => {
    while ((sorted[first] ?? arrival) <= arrival - minute) first++;
    return Math.max(highest, index - first + 1);
  }, 0);
}

describe('the budget', () => {
  it('grants 120 requests at once and then reports the time of the next one', async () => {
    const budget = budgetOn(memoryBudgetStore());
    await acquireAll(budget, 1_000);
    expect((await overBudgetError(budget.acquire(2_000))).retryAt).toBe(1_000 + windowMs);
    await overBudgetError(budget.acquire(1_000 + windowMs - 1));
    await budget.acquire(1_000 + windowMs);
  });

  it('counts each key separately', async () => {
    const log = memoryBudgetStore();
    await acquireAll(budgetOn(log, 'one'), 0);
    await budgetOn(log, 'another').acquire(0);
  });

  it('is shared by all clients of one log, also after a restart', async () => {
    const log = memoryBudgetStore();
    await acquireAll(budgetOn(log), 0);
    await overBudgetError(budgetOn(log).acquire(second));
  });

  it('is blocked as long as the service requires', async () => {
    const budget = budgetOn(memoryBudgetStore());
    budget.blockUntil(30 * second);
    expect((await overBudgetError(budget.acquire(0))).retryAt).toBe(30 * second);
    await budget.acquire(30 * second);
  });

  it('does not query the log before a request can be granted', async () => {
    const log = withSpy(memoryBudgetStore());
    await acquireAll(budgetOn(log), 0);
    const budget = budgetOn(log);
    await overBudgetError(budget.acquire(0));
    await overBudgetError(budget.acquire(windowMs - 1));
    expect(log.acquire).toHaveBeenCalledTimes(requestLimit + 1);
  });

  it('queries the log for at most 120 of a thousand concurrent requests', async () => {
    const log = withSpy(memoryBudgetStore());
    const budget = budgetOn(log);
    const spent = await Promise.allSettled(Array.from({ length: 1_000 }, (_, number) => budget.acquire(number)));
    expect(spent.map(({ status }) => status)).toEqual([
      ...Array.from({ length: requestLimit }, () => 'fulfilled'),
      ...Array.from({ length: 1_000 - requestLimit }, () => 'rejected'),
    ]);
    expect(log.acquire).toHaveBeenCalledTimes(requestLimit);
    expect((await overBudgetError(budget.acquire(1_000))).retryAt).toBe(windowMs);
    await budget.acquire(windowMs);
    expect((await overBudgetError(budget.acquire(windowMs))).retryAt).toBe(windowMs + 1);
  });

  it('does not count requests that the log refused or could not store', async () => {
    const log = memoryBudgetStore();
    await acquireAll(budgetOn(log), 0);
    const budget = budgetOn({
      ...log,
      acquire: (...parameters) =>
        parameters[1] < windowMs ? log.acquire(...parameters) : Promise.reject(new Error('locked')),
    });
    const acquireMany = (at: number) =>
      Promise.allSettled(Array.from({ length: requestLimit }, () => budget.acquire(at)));
    await acquireMany(windowMs - 1);
    await acquireMany(windowMs);
    await expect(budget.acquire(windowMs)).rejects.toMatchObject({ code: 'lookup_uncounted' });
  });

  it('grants nothing when the log cannot be written', async () => {
    const budget = budgetOn({ ...memoryBudgetStore(), acquire: () => Promise.reject(new Error('disk full')) });
    await expect(budget.acquire(0)).rejects.toMatchObject({
      code: 'lookup_uncounted',
      retryAt: 5 * second,
      cause: new Error('disk full'),
    });
  });

  describe('when the clock is set', () => {
    it.each([-hour, -2 * minute, -second / 2, minute, hour])(
      'by %i ms, grants requests again at the same time',
      async (step) => {
        const budget = budgetOn(memoryBudgetStore());
        await acquireAll(budget, 1_000);
        await overBudgetError(budget.acquire(2_000));
        budget.set(step);
        expect((await overBudgetError(budget.acquire(3_000))).retryAt).toBe(1_000 + windowMs + step);
        await overBudgetError(budget.acquire(1_000 + windowMs - 1));
        await acquireAll(budget, 1_000 + windowMs + second);
      },
    );

    it.each([-minute, -10 * second])(
      'by %i ms, less than a window, grants requests later by at most that time',
      async (step) => {
        const budget = budgetOn(memoryBudgetStore());
        await acquireAll(budget, 1_000);
        budget.set(step);
        await overBudgetError(budget.acquire(1_000 + windowMs - 1));
        await acquireAll(budget, 1_000 + windowMs - step);
      },
    );

    it.each([-hour, -minute])(
      'by %i ms between two processes, grants requests again within a window and not earlier',
      async (step) => {
        const log = memoryBudgetStore();
        await acquireAll(budgetOn(log), hour);
        const restarted = budgetOn(log);
        await overBudgetError(restarted.acquire(hour + second + step));
        await overBudgetError(restarted.acquire(hour + windowMs + step - 1));
        await acquireAll(restarted, hour + second + step + windowMs);
      },
    );

    it.each([-hour, hour])('by %i ms, still counts the requests of other processes', async (step) => {
      const log = memoryBudgetStore();
      const first = budgetOn(log);
      await first.acquire(hour);
      for (let spent = 1; spent < requestLimit; spent += 1) await budgetOn(log).acquire(hour);
      first.set(step);
      await overBudgetError(first.acquire(hour + second));
      await overBudgetError(first.acquire(hour + windowMs - 1));
      await acquireAll(first, hour + windowMs + second);
    });
  });

  /** Bursts of requests: the pause before, the count, the process that sends them, and the time until they arrive. */
  const bursts = fc.array(
    fc.record({
      pause: fc.oneof(fc.integer({ min: 0, max: 10 * second }), fc.integer({ min: minute, max: windowMs + second })),
      count: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.constant(150)),
      process: fc.nat({ max: 2 }),
      latency: fc.oneof(fc.constant(0), fc.constant(timeoutMs), fc.integer({ min: 0, max: timeoutMs })),
    }),
    { minLength: 4, maxLength: 12 },
  );
  const clockOffsets = fc.tuple(...[0, 1, 2].map(() => fc.integer({ min: -second / 2, max: second / 2 })));

  it('never lets more than 120 arrive in any minute, from any process and with any latency', async () => {
    let busiest = 0;
    const property = fc.asyncProperty(bursts, clockOffsets, async (traffic, offsets) => {
      const log = memoryBudgetStore();
      const processes = offsets.map((ms) => ({ ms, budget: budgetOn(log) }));
      const arrivals: number[] = [];
      let now = 1_000_000;
      for (const { pause, count, process, latency } of traffic) {
        now += pause;
        const { ms, budget } = processes[process] ?? { ms: 0, budget: budgetOn(log) };
        for (let sent = 0; sent < count; sent++) {
          await budget.acquire(now + ms).then(
            () => arrivals.push(now + latency),
            () => {},
          );
        }
      }
      busiest = Math.max(busiest, maxPerMinute(arrivals));
      expect(maxPerMinute(arrivals)).toBeLessThanOrEqual(requestLimit);
    });
    const burst = { pause: 0, count: 150, latency: 0 };
    await fc.assert(property, {
      numRuns: 100,
      examples: [[[0, 1].map((process) => ({ ...burst, process })), [0, 0, 0]]],
    });
    // A budget that grants nothing would also satisfy the property.
    expect(busiest).toBe(requestLimit);
  });
});
