import { describe, expect, it } from 'vitest';
import { hour, second } from '../../src/platform/durations.ts';
import { createSandboxClock } from '../../src/sandbox/sandbox-clock.ts';
import { manualClock } from '../support/manual-clock.ts';

describe('the clock of the sandbox', () => {
  it('goes with the machine’s, and is moved on at once', async () => {
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

  it('may run faster from the moment it was made, and begin ahead', async () => {
    const real = manualClock();
    const clock = createSandboxClock({ real, speed: 60, offsetMs: hour });
    expect(clock.now() - real.now()).toBe(hour);
    const before = clock.now();
    await real.advance(second);
    expect(clock.now() - before).toBe(60 * second);
  });

  it('lets whoever sleeps sleep by the machine’s time, however it was moved', async () => {
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

  it('never goes back and never stands still', () => {
    const clock = createSandboxClock();
    expect(() => clock.advance(-1)).toThrow('only goes forward');
    expect(() => clock.advance(Number.NaN)).toThrow('only goes forward');
    expect(() => createSandboxClock({ speed: 0 })).toThrow('slowed down');
  });
});
