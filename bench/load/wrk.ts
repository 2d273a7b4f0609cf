import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { RunResult } from './load.ts';
import type { RequestSet } from './request-set.ts';

const script = fileURLToPath(new URL('./wrk.lua', import.meta.url));
/** The script ends a run after its last answer, long before this (s). */
const maxSeconds = 120;

/** Whether wrk, a load generator in C, is on the PATH: it takes a quarter of the CPU of our own sender. */
export async function hasWrk(): Promise<boolean> {
  // `wrk -v` prints its version and exits with 1.
  return promisify(execFile)('wrk', ['-v']).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
}

/** What `wrk.lua` prints. Times in µs. */
interface Printed {
  readonly answered: number;
  readonly rejected: number;
  readonly broken: number;
  readonly took: number;
  readonly p50: number;
  readonly p99: number;
  /** During the run. */
  readonly cpu: number;
  readonly totalCpu: number;
}

/**
 * Closed loop with wrk: sends each request once and returns when all are answered. wrk adds the latencies of the
 * requests that a stall kept it from sending.
 * @throws Error if wrk fails or a connection breaks
 */
export async function runWrk(port: number, requests: RequestSet, connections: number): Promise<RunResult> {
  const directory = mkdtempSync(join(tmpdir(), 'bench-wrk-'));
  try {
    const files = [join(directory, 'requests'), join(directory, 'ends')] as const;
    writeFileSync(files[0], requests.bytes);
    writeFileSync(files[1], requests.ends);
    const options = ['--threads', '1', '--connections', String(connections), '--timeout', '10s'];
    const stdout = await runUntilFinished([
      ...options,
      ...['--duration', `${maxSeconds}s`, '--script', script, `http://127.0.0.1:${port}`],
      ...['--', ...files, String(requests.size), String(connections)],
    ]);
    const { answered, rejected, broken, took, p50, p99, ...printed } = JSON.parse(lastLine(stdout)) as Printed;
    if (broken > 0 || took === 0) throw new Error(`wrk lost connections or did not finish: ${stdout}`);
    return {
      accepted: answered - rejected,
      rate: (answered * 1e6) / took,
      p50: p50 / 1_000,
      p99: p99 / 1_000,
      max: Number.NaN,
      rejections: [],
      senderCpu: printed.cpu / requests.size,
      exitedCpu: printed.totalCpu,
    };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Interrupts wrk when the script has finished: repeatedly, because a short run can finish before wrk sleeps. */
async function runUntilFinished(args: readonly string[]): Promise<string> {
  const running = promisify(execFile)('wrk', args);
  const { child } = running;
  let interrupting: NodeJS.Timeout | undefined;
  child.stderr?.once('data', () => {
    interrupting = setInterval(() => child.kill('SIGINT'), 10);
  });
  try {
    return (await running).stdout;
  } finally {
    clearInterval(interrupting);
  }
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}
