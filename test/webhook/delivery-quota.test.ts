import { hour, minute } from '@tallyhook/platform/durations';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it } from 'vitest';
import { createDeliveryQuota } from '../../src/webhook/delivery-quota.ts';

describe('the quota of deliveries', () => {
  it('is never exceeded in any hour, and says when the next delivery is accepted', async () => {
    const clock = manualClock();
    const quota = createDeliveryQuota({ maxDeliveries: 40, maxBytes: 1_000_000 }, clock);
    const accepted: number[] = [];
    let promised = 0;
    for (let step = 0; step < 600; step += 1) {
      const retryAfter = quota.take('one', 10);
      if (retryAfter === null) accepted.push(clock.monotonic());
      else {
        expect(retryAfter).toBeGreaterThan(0);
        expect(retryAfter * 1_000).toBeLessThanOrEqual(hour + 5 * minute);
        promised ||= clock.monotonic() + retryAfter * 1_000;
      }
      if (promised !== 0 && clock.monotonic() >= promised) expect(retryAfter).toBe(null);
      if (promised !== 0 && clock.monotonic() >= promised) promised = 0;
      await clock.advance(((step * 37) % 60) * 1_000);
    }
    for (const at of accepted) {
      const inHour = accepted.filter((other) => other >= at && other < at + hour);
      expect(inHour.length).toBeLessThanOrEqual(40);
    }
    expect(accepted.length).toBeGreaterThan(120);
  });
});
