import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { day, hour, minute, second } from '@tallyhook/platform/durations';
import { openJsonFile, readJsonFile } from '@tallyhook/platform/json-file';
import { createLog } from '@tallyhook/platform/log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createPageClock } from '../../packages/local-discord/src/page/browser/page-clock.ts';
import { formatLead } from '../../src/sandbox/page/browser/lead.ts';
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
    [minute, '1 minute'],
    [12 * hour, '12 hours'],
    [day, '1 day'],
    [36 * hour, '1½ days'],
    [30 * hour + 5 * minute, '1 day 6 hours 5 minutes'],
    [132 * hour, '5½ days'],
  ])('of %i ms is %s', (lead, text) => {
    expect(formatLead(lead)).toBe(text);
  });
});

const schema = z.object({ count: z.int() });
const quiet = createLog({ level: 'silent', secrets: [] });

describe('a JSON file', () => {
  it.each(['', '{"count":', '{"count":"three"}', 'null'])('is renamed with a warning if it is invalid: %s', (text) => {
    const path = join(tempDir(), 'kept.json');
    writeFileSync(path, text);
    const warnings: unknown[] = [];
    const log = createLog({ level: 'silent', secrets: [] });
    log.warn = (...told: unknown[]) => void warnings.push(told);
    expect(readJsonFile(path, schema, log)).toBe(null);
    expect(JSON.stringify(warnings)).toContain('damaged');
    expect(existsSync(path)).toBe(false);
    expect(readFileSync(`${path}.damaged`, 'utf8')).toBe(text);
  });

  it('is written once for a burst of changes, and when it is closed', async () => {
    const path = join(tempDir(), 'kept.json');
    const stopwatch = manualClock();
    let count = 0;
    let snapshots = 0;
    const snapshot = () => {
      snapshots += 1;
      return { count };
    };
    const file = openJsonFile({ path, snapshot, stopwatch, log: quiet });
    for (count = 1; count < 5; count += 1) file.scheduleWrite();
    await stopwatch.advance(second);
    expect(snapshots).toBe(1);
    count = 9;
    file.scheduleWrite();
    await file.stop();
    expect(readJsonFile(path, schema, quiet)).toEqual({ count: 9 });
    expect(existsSync(`${path}.new`)).toBe(false);
  });
});
