import { day, minute, second } from '@tallyhook/platform/durations';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoff } from '../../../src/core/outbox/perform.ts';

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('the backoff', () => {
  it('retries a young effect within 8 s, so that it is sent within 15 s of the end of a short outage', () => {
    fc.assert(
      fc.property(fc.nat(1_000), fc.integer({ min: 0, max: 15 * minute - 1 }), random, (attempts, age, value) => {
        const delay = backoff({ attempts, age }, value);
        expect(delay).toBeGreaterThan(0);
        expect(delay).toBeLessThanOrEqual(8 * second);
      }),
    );
  });

  it('grows with the number of attempts, and is randomized', () => {
    expect(backoff({ attempts: 1, age: 0 }, 0)).toBe(500);
    expect(backoff({ attempts: 3, age: 0 }, 0)).toBe(2_000);
    expect(backoff({ attempts: 3, age: 0 }, 0.999)).toBeGreaterThan(3_900);
    expect(backoff({ attempts: 50, age: day }, 0.999)).toBeGreaterThan(minute);
  });

  it('gives up after seven days', () => {
    expect(backoff({ attempts: 1, age: 7 * day }, 0)).not.toBe('bury');
    expect(backoff({ attempts: 1, age: 7 * day + 1 }, 0)).toBe('bury');
  });
});
