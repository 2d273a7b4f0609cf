import { hour, second } from '@tallyhook/platform/durations';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it } from 'vitest';
import { createSandboxClock } from '../../src/sandbox/sandbox-clock.ts';

describe('the clock of the sandbox', () => {
  it('follows the system clock and can be advanced', async () => {
    const real = manualClock();
    const clock = createSandboxClock({ real });
    await real.advance(5 * second);
    expect(clock.now()).toBe(real.now());
    let moved = 0;
    clock.events.on('moved', () => {
      moved += 1;
    });
    clock.advance(12 * hour);
    expect(clock.now() - real.now()).toBe(12 * hour);
    expect(clock.offsetMs).toBe(12 * hour);
    expect(moved).toBe(1);
  });

  it('can run faster and start with an offset', async () => {
    const real = manualClock();
    const clock = createSandboxClock({ real, speed: 60, offsetMs: hour });
    expect(clock.now() - real.now()).toBe(hour);
    const before = clock.now();
    await real.advance(second);
    expect(clock.now() - before).toBe(60 * second);
  });

  it('sleeps in real time, even if it is advanced', async () => {
    const real = manualClock();
    const clock = createSandboxClock({ real, speed: 60 });
    let isAwake = false;
    void clock.sleep(10 * second).then(() => {
      isAwake = true;
    });
    clock.advance(12 * hour);
    await real.advance(9 * second);
    expect(isAwake).toBe(false);
    await real.advance(second);
    expect(isAwake).toBe(true);
  });

  it('never goes back or stands still', () => {
    const clock = createSandboxClock();
    expect(() => clock.advance(-1)).toThrow('cannot go back');
    expect(() => clock.advance(Number.NaN)).toThrow('cannot go back');
    expect(() => createSandboxClock({ speed: 0 })).toThrow('must be at least 1');
  });
});
