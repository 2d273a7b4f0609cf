import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { processTimes } from '../../bench/scale/process-times.ts';

/** µs. */
const spent = 200_000;
/** Of CPU time, so that a busy machine does not matter. */
const spin = `for (let used = 0; used < ${spent}; ) {
  for (let n = 0; n < 1e5; n += 1);
  const { user, system } = process.cpuUsage();
  used = user + system;
}`;
/** Resolution of user and system time of two processes (µs). */
const resolution = 40_000;

describe.skipIf(process.platform !== 'linux')('CPU times of processes', () => {
  it('include those of descendants that have ended, under their ancestor only', () => {
    const before = processTimes();
    execFileSync(process.execPath, ['-e', spin]);
    const after = processTimes();
    const used = after.of(process.pid) - before.of(process.pid);
    expect(used).toBeGreaterThanOrEqual(spent - resolution);
    expect(after.of(process.pid) + after.except(process.pid)).toBe(after.except());
  });

  it('do not count a process as another program if one of its ancestors is named', async () => {
    const child = spawn(process.execPath, ['-e', `${spin} console.log('done'); setInterval(() => {}, 1_000)`]);
    onTestFinished(() => void child.kill());
    await once(child.stdout, 'data');
    const times = processTimes();
    const childTime = times.of(child.pid ?? 0);
    expect(childTime).toBeGreaterThanOrEqual(spent - resolution);
    expect(times.of(process.pid)).toBeGreaterThanOrEqual(childTime);
    expect(times.of(process.pid, child.pid ?? 0)).toBe(times.of(process.pid));
    expect(times.except(child.pid ?? 0) - times.except(process.pid)).toBe(times.of(process.pid) - childTime);
  });
});
