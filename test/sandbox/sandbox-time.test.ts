import { day, hour, minute, second } from '@tallyhook/platform/durations';
import { describe, expect, it } from 'vitest';
import { createPageClock } from '../../packages/local-discord/src/page/browser/page-clock.ts';
import { formatLead } from '../../src/sandbox/page/browser/lead.ts';
import { createSandboxClock } from '../../src/sandbox/sandbox-clock.ts';

/** The clocks of a machine that can sleep: meanwhile, only the time of day goes on. */
function machine() {
  let [wall, monotonic] = [1_767_225_600_000, 5_000];
  return {
    clocks: { wall: () => wall, monotonic: () => monotonic },
    server: { now: () => wall, monotonic: () => monotonic, sleep: () => Promise.resolve(), random: () => 0 },
    pass(ms: number) {
      wall += ms;
      monotonic += ms;
    },
    sleep(ms: number) {
      wall += ms;
    },
  };
}

describe('the clock of the page', () => {
  it.each([1, 60])('is that of the sandbox, also after the machine has slept (speed %i)', (speed) => {
    const { clocks, server, pass, sleep } = machine();
    const sandbox = createSandboxClock({ real: server, speed });
    const page = createPageClock(clocks);
    sandbox.advance(12 * hour);
    page.set({ now: sandbox.now(), speed });
    pass(3 * second);
    expect(page.now()).toBe(sandbox.now());
    sleep(10 * minute);
    expect(page.now()).toBe(sandbox.now());
    pass(3 * second);
    expect(page.now()).toBe(sandbox.now());
    expect(page.offsetMs()).toBe(sandbox.offsetMs);
  });
});

describe('the lead of the sandbox clock', () => {
  it.each([
    [0, null],
    [20 * second, null],
    [-hour, null],
    [minute, '1 minute'],
    [12 * hour, '12 hours'],
    [12 * hour + 5 * second, '12 hours'],
    [day, '1 day'],
    [36 * hour, '1½ days'],
    [30 * hour + 5 * minute, '1 day 6 hours 5 minutes'],
    [2 * day, '2 days'],
    [132 * hour, '5½ days'],
    [132 * hour + 20 * minute, '5½ days'],
    [3 * day + 5 * hour, '3 days 5 hours'],
  ])('of %i ms is %s', (lead, text) => {
    expect(formatLead(lead)).toBe(text);
  });
});
