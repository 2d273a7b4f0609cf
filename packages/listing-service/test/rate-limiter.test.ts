import type { Clock } from '@tallyhook/platform/clock';
import { StoreUnavailableError } from '@tallyhook/platform/errors';
import { createLog } from '@tallyhook/platform/log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { isSkipped } from '@tallyhook/platform/testing/optional-programs';
import { postgresPrograms } from '@tallyhook/platform/testing/postgres';
import { isRedisInstalled } from '@tallyhook/platform/testing/redis';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRateLimiter, type RateLimiter } from '../src/rate-limit/rate-limiter.ts';
import {
  countedLongAgo,
  crashable,
  type LimitStore,
  limitFileStore,
  postgresLimitStore,
  redisLimitStore,
} from './limit-stores.ts';

const rules = { limit: 7, windowMs: 3_000, maxBlock: 4, blockMs: 700 };
const log = createLog({ level: 'silent', secrets: [] });

/** Time of a request that was answered, of one key (monotonic, ms). */
function mostInOneWindow(answered: readonly number[]): number {
  return Math.max(0, ...answered.map((end) => answered.filter((at) => at > end - rules.windowMs && at <= end).length));
}

const gap = fc.oneof(fc.nat(60), fc.nat(1_500), fc.constantFrom(0, 700, 701, 2_999, 3_000, 3_001));

const stores = [
  { name: 'a file', open: limitFileStore, runs: 40, isInstalled: true },
  { name: 'PostgreSQL', open: postgresLimitStore, runs: 16, isInstalled: postgresPrograms() !== null },
  { name: 'Redis', open: redisLimitStore, runs: 16, isInstalled: isRedisInstalled },
].filter(({ isInstalled }) => !isSkipped(isInstalled));

describe.each(stores)('with reservations in $name', ({ open, runs }) => {
  let store: LimitStore;
  let keyId = 0;

  beforeAll(async () => {
    store = await open(rules);
  });

  afterAll(() => store.close());

  async function start(clock: Clock): Promise<RateLimiter> {
    return createRateLimiter({ reservations: await store.open(clock), clock, log }, rules);
  }

  test('a process alone accepts exactly the requests within the limit, however they are spread, also over restarts', async () => {
    const steps = fc.array(fc.record({ gap, restart: fc.integer({ min: 0, max: 9 }) }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(steps, async (waits) => {
        keyId += 1;
        const clock = manualClock();
        const answered: number[] = [];
        let limiter = await start(clock);
        for (const { gap, restart } of waits) {
          if (restart === 0) {
            await limiter.stop();
            limiter = await start(clock);
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
      { numRuns: 0.75 * runs },
    );
  });

  test('no window contains more than the limit with several processes, crashes, restarts, lost reservations and a clock that is set back', async () => {
    let accepted = 0;
    const step = fc.record({
      gap,
      process: fc.nat(2),
      event: fc.oneof(
        { weight: 24, arbitrary: fc.constant('requests' as const) },
        { weight: 2, arbitrary: fc.constantFrom('crash' as const, 'restart' as const, 'set back' as const) },
        { weight: 1, arbitrary: fc.constantFrom('crash and loss' as const, 'loss' as const) },
      ),
      count: fc.integer({ min: 1, max: 5 }),
    });
    // What an earlier run has lost must not be unknown in this one.
    let startsAt = Date.UTC(2026, 0, 1);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        keyId += 1;
        startsAt += 10 * 60_000;
        const clock = manualClock(startsAt);
        const answered: number[] = [];
        const startCrashable = async () => {
          const { reservations, crash } = crashable(await store.open(clock));
          return { ...createRateLimiter({ reservations, clock, log }, rules), crash };
        };
        const processes = [await startCrashable(), await startCrashable(), await startCrashable()] as const;
        const running = [...processes];
        const crashed: RateLimiter[] = [];
        async function restart(index: number, isCrash: boolean): Promise<void> {
          const before = running[index];
          if (before === undefined) throw new Error('There are three processes.');
          if (isCrash) before.crash();
          if (isCrash) crashed.push(before);
          else await before.stop();
          running[index] = await startCrashable();
        }
        for (const { gap, process, event, count } of steps) {
          await clock.advance(gap);
          if (event === 'set back') clock.shiftWallClock(-gap * 10);
          if (event === 'restart' || event === 'crash') await restart(process, event === 'crash');
          if (event === 'crash and loss') {
            for (const { crash } of running) crash();
            await store.lose(0);
            for (const index of [0, 1, 2]) await restart(index, true);
          }
          if (event === 'loss') {
            await store.lose(count % 3);
            await restart(process, true);
          }
          if (event !== 'requests') continue;
          const requests = Array.from({ length: count }, async () => running[process]?.count(keyId));
          for (const result of await Promise.allSettled(requests)) {
            if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(StoreUnavailableError);
            else if (result.value?.isAllowed) answered.push(clock.monotonic());
          }
        }
        accepted += answered.length;
        expect(mostInOneWindow(answered)).toBeLessThanOrEqual(rules.limit);
        for (const limiter of [...running, ...crashed]) await limiter.stop();
      }),
      { numRuns: runs },
    );
    // A limiter that rejects everything would hold as well.
    expect(accepted).toBeGreaterThan(2 * runs);
  });

  test('a process that waits for another one gets what it does not use', async () => {
    keyId += 1;
    const clock = manualClock(Date.UTC(2027, 0, 1));
    // The store may have lost everything before.
    await countedLongAgo(store.open);
    const reservations = await store.open(clock);
    const { promise: givenBack, resolve } = Promise.withResolvers<void>();
    const settle: typeof reservations.settle = async (used) => {
      await reservations.settle(used);
      resolve();
    };
    const one = createRateLimiter({ reservations: { ...reservations, settle }, clock, log }, rules);
    const other = await start(clock);
    expect(await one.count(keyId)).toMatchObject({ isAllowed: true, remaining: 6 });
    const taken = await Promise.all(Array.from({ length: 7 }, async () => other.count(keyId)));
    expect(taken.filter(({ isAllowed }) => isAllowed)).toHaveLength(3);
    await clock.advance(2_000);
    // A server takes real time.
    await givenBack;
    const more = await Promise.all(Array.from({ length: 7 }, async () => other.count(keyId)));
    expect(more.filter(({ isAllowed }) => isAllowed)).toHaveLength(3);
    await one.stop();
    await other.stop();
  });

  test('requests within a block need no reservation', async () => {
    keyId += 1;
    const clock = manualClock(Date.UTC(2027, 0, 2));
    const reservations = await store.open(clock);
    let reserved = 0;
    const counting: typeof reservations = {
      ...reservations,
      reserveNow: (request) => {
        reserved += 1;
        return reservations.reserveNow(request);
      },
    };
    const limiter = createRateLimiter({ reservations: counting, clock, log }, rules);
    for (let index = 0; index < 4; index += 1) await limiter.count(keyId);
    expect(reserved).toBe(1);
    await limiter.count(keyId);
    expect(reserved).toBe(2);
    await limiter.stop();
  });
});
