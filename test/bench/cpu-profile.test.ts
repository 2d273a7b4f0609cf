import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { type CpuProfile, readCpuProfiles, selfTimes } from '../../bench/receive/cpu-profile.ts';

const frame = (functionName: string, url = '', lineNumber = -1) => ({ functionName, url, lineNumber });

it('a function’s own time is that of its samples between two times', () => {
  const file = new URL('../../src/main.ts', import.meta.url).href;
  const profile: CpuProfile = {
    nodes: [
      { id: 1, callFrame: frame('(idle)') },
      { id: 2, callFrame: frame('run', file, 6) },
      { id: 3, callFrame: frame('', file, 9) },
      // The same function, called from elsewhere.
      { id: 4, callFrame: frame('run', file, 6) },
    ],
    startTime: 1_000,
    samples: [3, 1, 2, 4, 3],
    timeDeltas: [100, 10, 20, 30, 40],
  };
  expect(selfTimes(profile, 0, 10_000)).toEqual([
    { name: 'run (src/main.ts:7)', time: 70 },
    { name: '(idle)', time: 20 },
    { name: '(anonymous) (src/main.ts:10)', time: 10 },
  ]);
  expect(selfTimes(profile, 1_105, 1_160)).toEqual([
    { name: 'run (src/main.ts:7)', time: 30 },
    { name: '(idle)', time: 20 },
  ]);
});

it('the profiles that Node writes are split by thread, on the clock of this process', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'profiles-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const program = join(directory, 'program.mjs');
  writeFileSync(
    program,
    `import { isMainThread, Worker } from 'node:worker_threads';
     function inMain() { while (process.threadCpuUsage().user < 300_000); }
     function inWorker() { while (process.threadCpuUsage().user < 300_000); }
     if (isMainThread) { inMain(); new Worker(new URL(import.meta.url), { env: {} }); } else inWorker();`,
  );
  const from = Number(process.hrtime.bigint() / 1_000n);
  await promisify(execFile)(process.execPath, ['--cpu-prof', '--cpu-prof-dir', directory, program]);
  const to = Number(process.hrtime.bigint() / 1_000n);
  const { main, worker } = readCpuProfiles(directory);
  const names = (profiles: readonly CpuProfile[]) =>
    profiles.flatMap((profile) => selfTimes(profile, from, to)).map(({ name }) => name.split(' ')[0]);
  expect(names(main)).toContain('inMain');
  expect(names(main)).not.toContain('inWorker');
  expect(names(worker)).toContain('inWorker');
  expect(names(worker)).not.toContain('inMain');
});
