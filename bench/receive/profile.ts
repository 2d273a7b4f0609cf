import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LogProgress } from '../benchmark.ts';
import type { Sender } from '../load/load.ts';
import { figure, type Report, type Table } from '../report.ts';
import { contenderNamed } from './contender.ts';
import { type Environment, startContender } from './contender-runner.ts';
import { type CpuProfile, readCpuProfiles, selfTimes } from './cpu-profile.ts';

/** Rows of a table. */
const top = 25;
/** Between samples (µs). */
const interval = 250;
/** Requests before the run, to estimate the rate. */
const warmupRequests = 20_000;

/** Where tallyhook's two threads spend their time at saturation, from CPU profiles, which cost some time themselves. */
export async function measureProfile(
  environment: Environment,
  { sender, seconds }: { readonly sender: Sender; readonly seconds: number },
  logProgress: LogProgress,
): Promise<Report> {
  const directory = join(environment.directory, 'profile');
  const files = join(directory, 'cpu');
  mkdirSync(files, { recursive: true });
  const workers = `--import=${new URL('profiled-workers.mjs', import.meta.url)}`;
  const nodeOptions = ['--cpu-prof', '--cpu-prof-dir', files, '--cpu-prof-interval', String(interval), workers];
  const tallyhook = await startContender(contenderNamed('tallyhook'), { ...environment, directory }, { nodeOptions });
  let span = { from: 0, to: 0, votes: 0 };
  try {
    logProgress('warming up');
    const { rate } = await tallyhook.run(warmupRequests, { sender });
    const votes = Math.ceil(rate * seconds);
    const from = monotonicTime();
    const measured = await tallyhook.run(votes, { sender });
    // The run begins with the preparation of the requests.
    const to = monotonicTime();
    span = { from: Math.max(from, to - (votes / measured.rate) * 1e6), to, votes };
    logProgress(`profiled ${votes} votes at ${Math.round(measured.rate)}/s`);
  } finally {
    await tallyhook.stop();
  }
  const { main, worker } = readCpuProfiles(files);
  return {
    goals: [],
    tables: [
      ...main.map((profile) => functions('The main thread', profile, span)),
      ...worker.map((profile) => functions('The writer thread', profile, span)),
    ],
    notes: ['"(program)" is native code such as socket reads and commits of SQLite that V8 cannot name.'],
  };
}

/** µs. */
function monotonicTime(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

function functions(thread: string, profile: CpuProfile, span: { from: number; to: number; votes: number }): Table {
  const { from, to, votes } = span;
  const rows = selfTimes(profile, from, to);
  const total = rows.reduce((sum, { time }) => sum + time, 0);
  return {
    caption: `${thread}: time in each function itself, over ${votes.toLocaleString('en-US')} votes.`,
    columns: ['', 'µs per vote', '%'],
    rows: rows
      .slice(0, top)
      .map(({ name, time }) => [name.replaceAll('|', '\\|'), figure(time / votes), figure((time * 100) / total)]),
  };
}
