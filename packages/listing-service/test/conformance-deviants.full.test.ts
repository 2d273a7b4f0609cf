import { minute } from '@tallyhook/platform/durations';
import { describe, expect, test } from 'vitest';
import type { Deviation } from './deviant.ts';
import {
  earlyLimitLine,
  failedLines,
  lateLimitLine,
  limitedBy,
  limitedTo,
  noLimitLine,
  runSuite,
  startWithData,
} from './deviating-suite.ts';

describe.each([
  ['with both keys', false],
  ['with a server key alone', true],
])('%s', (_, serverKeyOnly) => {
  test.each([
    [60, [earlyLimitLine]],
    [119, [earlyLimitLine]],
    [120, []],
    [121, [lateLimitLine]],
    [1_000, [noLimitLine]],
  ])('a rate limit of 120 holds, another one fails: %d', async (limit, lines) => {
    const instance = await startWithData();
    const results = await runSuite(limitedTo(limit, instance.clock), { skipRateLimit: false, serverKeyOnly }, instance);
    expect(failedLines(results)).toEqual(lines);
  });

  test.each<[string, (status: number) => boolean]>([
    ['successful requests', (status) => status === 200],
    ['requests of any kind', () => true],
    ['all but requests of another method', (status) => status !== 405],
  ])('a service may count %s', async (_rule, isCounted) => {
    const limits = [
      [119, [earlyLimitLine]],
      [120, []],
      [121, [lateLimitLine]],
    ] as const;
    // Which requests count does not depend on the number of keys: with one, it is enough that nothing fails.
    for (const [limit, lines] of serverKeyOnly ? limits.slice(1, 2) : limits) {
      const instance = await startWithData();
      const deviate = limitedTo(limit, instance.clock, isCounted);
      const results = await runSuite(deviate, { skipRateLimit: false, serverKeyOnly }, instance);
      expect(failedLines(results)).toEqual(lines);
    }
  });

  test('a fixed window that ends during the check is not a failure', async () => {
    const instance = await startWithData();
    let count = 0;
    const twice = limitedTo(120, instance.clock);
    const whole = limitedTo(120, instance.clock);
    const deviate: Deviation = (response, request, fetchOther) => {
      if (!request.key?.startsWith('server_')) return whole(response, request, fetchOther);
      count += 1;
      // The window ends here, and the next one has its own 120.
      return (count <= 100 ? twice : whole)(response, request, fetchOther);
    };
    expect(failedLines(await runSuite(deviate, { skipRateLimit: false, serverKeyOnly }, instance))).toEqual([]);
  });

  test('a token bucket may refill during the check, and one that holds more than 120 fails', async () => {
    for (const [capacity, lines] of [
      [120, []],
      [130, [lateLimitLine]],
    ] as const) {
      const instance = await startWithData();
      const { clock } = instance;
      const buckets = new Map<string, { tokens: number; at: number }>();
      const bucket = limitedBy((key) => {
        // A request takes 20 ms.
        clock.leap(20);
        const now = clock.monotonic();
        const { tokens, at } = buckets.get(key) ?? { tokens: capacity, at: now };
        const refilled = Math.min(capacity, tokens + ((now - at) * 120) / minute);
        buckets.set(key, { tokens: refilled >= 1 ? refilled - 1 : refilled, at: now });
        return refilled >= 1;
      });
      const results = await runSuite(bucket, { skipRateLimit: false, serverKeyOnly }, instance);
      expect(failedLines(results)).toEqual(lines);
    }
  });
});
