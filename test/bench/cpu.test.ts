import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished, vi } from 'vitest';
import { watchOtherPrograms } from '../../bench/process/other-programs.ts';
import { readThreadCpu } from '../../bench/process/thread-cpu.ts';

/** A `/proc` whose numbers the test writes. */
function fakeProc() {
  const directory = mkdtempSync(join(tmpdir(), 'proc-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return {
    directory,
    /** CPU time of a thread (ms). */
    thread(pid: number, tid: number, name: string, ms: number) {
      const task = join(directory, String(pid), 'task', String(tid));
      mkdirSync(task, { recursive: true });
      writeFileSync(join(task, 'comm'), `${name}\n`);
      writeFileSync(join(task, 'schedstat'), `${ms * 1e6} 5 1\n`);
    },
    /** CPU time of all programs (ms): a third each user, system and softirq. */
    total(ms: number) {
      const ticks = ms / 30;
      writeFileSync(join(directory, 'stat'), `cpu  ${ticks} 0 ${ticks} 999999 999999 0 ${ticks} 0 0 0\ncpu0 1 2 3\n`);
    },
  };
}

it('the CPU time of a process is split by thread', () => {
  const proc = fakeProc();
  proc.thread(7, 7, 'MainThread', 10);
  proc.thread(7, 8, 'V8Worker', 2);
  proc.thread(7, 9, 'WorkerThread', 5);
  proc.thread(7, 10, 'libuv-worker', 1);
  expect(readThreadCpu(7, proc.directory)).toEqual({ main: 10_000, worker: 5_000, other: 3_000 });
  expect(readThreadCpu(8, proc.directory)).toBe(null);
});

it.runIf(process.platform === 'linux')('a worker that computes is seen as a worker', async () => {
  const before = readThreadCpu(process.pid);
  const computing = 'for (;;);';
  const worker = new Worker(computing, { eval: true });
  onTestFinished(() => void worker.terminate());
  const used = () => (readThreadCpu(process.pid)?.worker ?? 0) - (before?.worker ?? 0);
  await expect.poll(used, { timeout: 60_000 }).toBeGreaterThan(20_000);
});

it('what other programs use is the time of the CPUs without that of our own processes', () => {
  const proc = fakeProc();
  proc.thread(process.pid, process.pid, 'MainThread', 100);
  proc.thread(7, 7, 'MainThread', 100);
  proc.total(3_000);
  const watch = watchOtherPrograms(proc.directory);
  const untrack = watch.track(7);
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => now.mockRestore());
  const end = watch.begin();
  proc.thread(process.pid, process.pid, 'MainThread', 400);
  proc.thread(7, 7, 'MainThread', 700);
  proc.total(6_000);
  now.mockReturnValue(1_000);
  // In a second, 3,000 ms in all: 300 and 600 of two of our processes, 1,000 of one that has exited, and 1,100 of others.
  expect(end(1_000_000)).toBeCloseTo(1.1);
  expect(watch.summary().mean).toBe(watch.summary().max);

  untrack();
  const endAgain = watch.begin();
  proc.thread(7, 7, 'MainThread', 9_000);
  now.mockReturnValue(2_000);
  expect(endAgain(0)).toBe(0);
});

it('without a Linux /proc nothing is known', () => {
  const watch = watchOtherPrograms('/nowhere');
  expect(watch.begin()(0)).toBeNaN();
  expect(watch.summary()).toEqual({ mean: Number.NaN, max: Number.NaN });
});
