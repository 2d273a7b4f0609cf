import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type BudgetStore, createBudget, memoryBudgetStore } from '../../src/lookup/budget.ts';
import { LookupOverBudget } from '../../src/lookup/failures.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { hour, minute, second } from '../../src/platform/durations.ts';

/** The document, section 8. */
const requestLimit = 120;
const timeout = 5 * second;
const window = minute + timeout + second;

/** A budget whose clock shows the moment that each call names, unless it was set meanwhile. */
function budgetOn(log: BudgetStore, keyId = 'key') {
  let passed = 0;
  let ahead = 0;
  const clock = { ...systemClock, now: () => passed + ahead, monotonic: () => passed };
  const budget = createBudget({ log, keyId, timeout, clock });
  return {
    close: (until: number) => budget.blockUntil(until),
    spend(at: number) {
      passed = at;
      return budget.acquire();
    },
    left(at: number) {
      passed = at;
      return budget.remaining();
    },
    /** Sets the wall clock, back where that is negative. */
    set(ms: number) {
      ahead += ms;
    },
  };
}

function watched(log: BudgetStore) {
  return { ...log, spend: vi.fn(log.acquire) };
}

async function spendAll(budget: ReturnType<typeof budgetOn>, at: number) {
  for (let spent = 0; spent < requestLimit; spent++) await budget.spend(at);
}

async function refusal(spending: Promise<void>): Promise<LookupOverBudget> {
  const thrown = await spending.then(
    () => new Error('it was granted'),
    (error: unknown) => error,
  );
  if (!(thrown instanceof LookupOverBudget)) throw thrown;
  return thrown;
}

/** The most moments that lie in any minute. */
function most(arrivals: readonly number[]): number {
  const sorted = [...arrivals].sort((a, b) => a - b);
  let first = 0;
  return sorted.reduce((highest, arrival, index) => {
    while ((sorted[first] ?? arrival) <= arrival - minute) first++;
    return Math.max(highest, index - first + 1);
  }, 0);
}

describe('the budget', () => {
  it('grants 120 requests at once and then says when the next one may leave', async () => {
    const budget = budgetOn(memoryBudgetStore());
    await spendAll(budget, 1_000);
    expect((await refusal(budget.spend(2_000))).retryAt).toBe(1_000 + window);
    await refusal(budget.spend(1_000 + window - 1));
    await budget.spend(1_000 + window);
  });

  it('counts each key by itself', async () => {
    const log = memoryBudgetStore();
    await spendAll(budgetOn(log, 'one'), 0);
    await budgetOn(log, 'another').spend(0);
  });

  it('is shared by all who write to one log, as after a restart', async () => {
    const log = memoryBudgetStore();
    await spendAll(budgetOn(log), 0);
    await refusal(budgetOn(log).spend(second));
  });

  it('is closed for as long as the service says', async () => {
    const budget = budgetOn(memoryBudgetStore());
    budget.close(30 * second);
    expect((await refusal(budget.spend(0))).retryAt).toBe(30 * second);
    await budget.spend(30 * second);
  });

  it('does not look into the log again before there can be anything left', async () => {
    const log = watched(memoryBudgetStore());
    await spendAll(budgetOn(log), 0);
    const budget = budgetOn(log);
    await refusal(budget.spend(0));
    await refusal(budget.spend(window - 1));
    expect(log.spend).toHaveBeenCalledTimes(requestLimit + 1);
  });

  it('does not ask the log for more than can be granted, when a thousand want to spend at once', async () => {
    const log = watched(memoryBudgetStore());
    const budget = budgetOn(log);
    const spent = await Promise.allSettled(Array.from({ length: 1_000 }, (_, number) => budget.spend(number)));
    expect(spent.map(({ status }) => status)).toEqual([
      ...Array.from({ length: requestLimit }, () => 'fulfilled'),
      ...Array.from({ length: 1_000 - requestLimit }, () => 'rejected'),
    ]);
    expect(log.spend).toHaveBeenCalledTimes(requestLimit);
    expect((await refusal(budget.spend(1_000))).retryAt).toBe(window);
    await budget.spend(window);
    expect((await refusal(budget.spend(window))).retryAt).toBe(window + 1);
  });

  it('has lost nothing by what the log refused or could not write down', async () => {
    const log = memoryBudgetStore();
    await spendAll(budgetOn(log), 0);
    const budget = budgetOn({
      ...log,
      acquire: (...what) => (what[1] < window ? log.acquire(...what) : Promise.reject(new Error('locked'))),
    });
    const wanted = (at: number) => Promise.allSettled(Array.from({ length: requestLimit }, () => budget.spend(at)));
    await wanted(window - 1);
    await wanted(window);
    await expect(budget.spend(window)).rejects.toMatchObject({ code: 'lookup_uncounted' });
  });

  it('grants nothing that it cannot write down', async () => {
    const budget = budgetOn({ ...memoryBudgetStore(), acquire: () => Promise.reject(new Error('disk full')) });
    await expect(budget.spend(0)).rejects.toMatchObject({
      code: 'lookup_uncounted',
      retryAt: 5 * second,
      cause: new Error('disk full'),
    });
  });

  describe('when the clock is set', () => {
    it.each([-hour, -2 * minute, -second / 2, minute, hour])(
      'by %i ms, opens again when it would have',
      async (step) => {
        const budget = budgetOn(memoryBudgetStore());
        await spendAll(budget, 1_000);
        await refusal(budget.spend(2_000));
        budget.set(step);
        expect((await refusal(budget.spend(3_000))).retryAt).toBe(1_000 + window + step);
        await refusal(budget.spend(1_000 + window - 1));
        await spendAll(budget, 1_000 + window + second);
      },
    );

    it.each([-minute, -10 * second])('by %i ms, less than a window, opens later by no more than that', async (step) => {
      const budget = budgetOn(memoryBudgetStore());
      await spendAll(budget, 1_000);
      budget.set(step);
      await refusal(budget.spend(1_000 + window - 1));
      await spendAll(budget, 1_000 + window - step);
    });

    it.each([-hour, -minute])('by %i ms while nobody runs, opens again within a window and no sooner', async (step) => {
      const log = memoryBudgetStore();
      await spendAll(budgetOn(log), hour);
      const restarted = budgetOn(log);
      await refusal(restarted.spend(hour + second + step));
      await refusal(restarted.spend(hour + window + step - 1));
      await spendAll(restarted, hour + second + step + window);
    });

    it.each([-hour, hour])('by %i ms, what other processes have sent still counts', async (step) => {
      const log = memoryBudgetStore();
      const watching = budgetOn(log);
      await watching.spend(hour);
      for (let spent = 1; spent < requestLimit; spent += 1) await budgetOn(log).spend(hour);
      watching.set(step);
      await refusal(watching.spend(hour + second));
      await refusal(watching.spend(hour + window - 1));
      await spendAll(watching, hour + window + second);
    });
  });

  /** Requests that leave together: how long after the ones before, how many, from which process, and how long they travel. */
  const bursts = fc.array(
    fc.record({
      pause: fc.oneof(fc.integer({ min: 0, max: 10 * second }), fc.integer({ min: minute, max: window + second })),
      count: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.constant(150)),
      process: fc.nat({ max: 2 }),
      travel: fc.oneof(fc.constant(0), fc.constant(timeout), fc.integer({ min: 0, max: timeout })),
    }),
    { minLength: 4, maxLength: 12 },
  );
  const clocksOff = fc.tuple(...[0, 1, 2].map(() => fc.integer({ min: -second / 2, max: second / 2 })));

  it('never lets more than 120 arrive in any minute, whoever asks and however long they travel', async () => {
    let busiest = 0;
    const neverTooMany = fc.asyncProperty(bursts, clocksOff, async (traffic, off) => {
      const log = memoryBudgetStore();
      const processes = off.map((ms) => ({ ms, budget: budgetOn(log) }));
      const arrivals: number[] = [];
      let now = 1_000_000;
      for (const { pause, count, process, travel } of traffic) {
        now += pause;
        const { ms, budget } = processes[process] ?? { ms: 0, budget: budgetOn(log) };
        for (let sent = 0; sent < count; sent++) {
          await budget.spend(now + ms).then(
            () => arrivals.push(now + travel),
            () => {},
          );
        }
      }
      busiest = Math.max(busiest, most(arrivals));
      expect(most(arrivals)).toBeLessThanOrEqual(requestLimit);
    });
    await fc.assert(neverTooMany, { numRuns: 300 });
    // A budget that grants nothing would hold the promise as well.
    expect(busiest).toBe(requestLimit);
  });
});
