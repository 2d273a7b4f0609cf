import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import { createRateLimiter, type RateLimiter } from '../../src/service/rate-limit/rate-limiter.ts';
import { type Database, openDatabase } from '../../src/service/storage/database.ts';
import { manualClock } from '../support/manual-clock.ts';
import { tempDir } from '../support/temp-dir.ts';

const rules = { limit: 7, windowMs: 3_000, maxBlock: 4, blockMs: 700 };
const log = createLog({ level: 'silent', secrets: [] });

/** Time of a request that was answered, of one key (monotonic, ms). */
function mostInOneWindow(answered: readonly number[]): number {
  return Math.max(0, ...answered.map((end) => answered.filter((at) => at > end - rules.windowMs && at <= end).length));
}

const gap = fc.oneof(fc.nat(60), fc.nat(1_500), fc.constantFrom(0, 700, 701, 2_999, 3_000, 3_001));

async function withDatabase(run: (database: Database) => Promise<void>): Promise<void> {
  const database = await openDatabase(`sqlite:${tempDir()}/limit.db`);
  try {
    await run(database);
  } finally {
    await database.destroy();
  }
}

test('a process alone accepts exactly the requests within the limit, however they are spread, also over restarts', () =>
  withDatabase(async (database) => {
    let keyId = 0;
    const steps = fc.array(fc.record({ gap, restart: fc.integer({ min: 0, max: 9 }) }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(steps, async (waits) => {
        keyId += 1;
        const clock = manualClock();
        const answered: number[] = [];
        let limiter = createRateLimiter({ database, clock, log }, rules);
        for (const { gap, restart } of waits) {
          if (restart === 0) {
            await limiter.stop();
            limiter = createRateLimiter({ database, clock, log }, rules);
          }
          await clock.advance(gap);
          const now = clock.monotonic();
          const used = answered.filter((at) => at > now - rules.windowMs).length;
          const { isAllowed, remaining, resetMs } = await limiter.count(keyId);
          if (isAllowed) answered.push(now);
          expect({ isAllowed, remaining }).toEqual({
            isAllowed: used < rules.limit,
            remaining: Math.max(0, rules.limit - used - 1),
          });
          expect(resetMs).toBe((answered.find((at) => at > now - rules.windowMs) ?? now) + rules.windowMs - now);
        }
        await limiter.stop();
      }),
      { numRuns: 30 },
    );
  }));

test('no window contains more than the limit with several processes, crashes, restarts and a clock that is set back', () =>
  withDatabase(async (database) => {
    let keyId = 0;
    let accepted = 0;
    const step = fc.record({
      gap,
      process: fc.nat(2),
      event: fc.oneof(
        { weight: 12, arbitrary: fc.constant('requests' as const) },
        { weight: 1, arbitrary: fc.constantFrom('crash' as const, 'restart' as const, 'set back' as const) },
      ),
      count: fc.integer({ min: 1, max: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        keyId += 1;
        const clock = manualClock();
        const answered: number[] = [];
        const start = () => createRateLimiter({ database, clock, log }, rules);
        const processes: RateLimiter[] = [start(), start(), start()];
        const crashed: RateLimiter[] = [];
        for (const { gap, process, event, count } of steps) {
          await clock.advance(gap);
          const limiter = processes[process] ?? start();
          if (event === 'set back') clock.shiftWallClock(-gap * 10);
          if (event === 'restart') await limiter.stop();
          if (event === 'crash') crashed.push(limiter);
          if (event === 'crash' || event === 'restart') processes[process] = start();
          if (event !== 'requests') continue;
          const counted = await Promise.all(Array.from({ length: count }, async () => limiter.count(keyId)));
          const allowed = counted.filter(({ isAllowed }) => isAllowed).length;
          for (let index = 0; index < allowed; index += 1) answered.push(clock.monotonic());
        }
        accepted += answered.length;
        expect(mostInOneWindow(answered)).toBeLessThanOrEqual(rules.limit);
        for (const limiter of [...processes, ...crashed]) await limiter.stop();
      }),
      { numRuns: 40 },
    );
    // A limiter that rejects everything would hold as well.
    expect(accepted).toBeGreaterThan(150);
  }));

test('a process that waits for another one gets what it does not use', () =>
  withDatabase(async (database) => {
    const clock = manualClock();
    const [one, other] = [1, 2].map(() => createRateLimiter({ database, clock, log }, rules)) as [
      RateLimiter,
      RateLimiter,
    ];
    expect(await one.count(1)).toMatchObject({ isAllowed: true, remaining: 6 });
    const taken = await Promise.all(Array.from({ length: 7 }, async () => other.count(1)));
    expect(taken.filter(({ isAllowed }) => isAllowed)).toHaveLength(3);
    await clock.advance(2_000);
    const more = await Promise.all(Array.from({ length: 7 }, async () => other.count(1)));
    expect(more.filter(({ isAllowed }) => isAllowed)).toHaveLength(3);
    await one.stop();
    await other.stop();
  }));

test('requests within a block need no commit', () =>
  withDatabase(async (database) => {
    const limiter = createRateLimiter({ database, clock: manualClock(), log }, rules);
    const results = [limiter.count(1)];
    await results[0];
    for (let index = 0; index < 3; index += 1) results.push(limiter.count(1));
    expect(results.map((result) => result instanceof Promise)).toEqual([true, false, false, false]);
    expect(limiter.count(1)).toBeInstanceOf(Promise);
    await limiter.stop();
  }));
