import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { path, type VoterOrder, vote } from './vote.ts';

const script = fileURLToPath(new URL('./wrk.lua', import.meta.url));
/** The script ends a run after its last answer, long before this (s). */
const maxSeconds = 120;

export interface Load {
  readonly port: number;
  readonly voters?: VoterOrder;
  /** The number of the first vote. */
  readonly from: number;
  readonly count: number;
  readonly connections: number;
}

export interface LoadResult {
  /** Answered with 2xx. */
  readonly accepted: number;
  /** Answers per second. */
  readonly rate: number;
  /** Latencies (ms). wrk adds those of requests that a stall kept it from sending. */
  readonly p50: number;
  readonly p99: number;
}

/** What `wrk.lua` prints. Times in µs. */
interface Printed {
  readonly answered: number;
  readonly rejected: number;
  readonly broken: number;
  readonly took: number;
  readonly p50: number;
  readonly p99: number;
}

/**
 * Closed loop with wrk, a load generator in C: sends each vote once, built and signed in advance, and returns when all are
 * answered.
 * @throws Error if wrk is missing or fails, or a connection breaks
 */
export async function runWrk({ port, voters, from, count, connections }: Load): Promise<LoadResult> {
  const requests = Array.from({ length: count }, (_, at) => {
    const { body, signature } = vote(from + at, voters);
    const headers = `host: 127.0.0.1\r\ncontent-type: application/json\r\nx-webhook-signature: ${signature}`;
    return `POST ${path} HTTP/1.1\r\n${headers}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  });
  let end = 0;
  const ends = Uint32Array.from(requests, (request) => (end += Buffer.byteLength(request)));
  const directory = mkdtempSync(join(tmpdir(), 'bench-wrk-'));
  try {
    const files = [join(directory, 'requests'), join(directory, 'ends')] as const;
    writeFileSync(files[0], requests.join(''));
    writeFileSync(files[1], ends);
    const stdout = await runUntilFinished([
      ...['--threads', '1', '--connections', String(connections), '--timeout', '10s'],
      ...['--duration', `${maxSeconds}s`, '--script', script, `http://127.0.0.1:${port}`],
      ...['--', ...files, String(count), String(connections)],
    ]);
    const { answered, rejected, broken, took, p50, p99 }: Printed = JSON.parse(
      stdout.trimEnd().split('\n').at(-1) ?? '',
    );
    if (broken > 0 || took === 0) throw new Error(`wrk lost connections or did not finish: ${stdout}`);
    return { accepted: answered - rejected, rate: (answered * 1e6) / took, p50: p50 / 1_000, p99: p99 / 1_000 };
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
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw isMissing ? new Error('The load comes from wrk, which is not on the PATH (Debian: apt install wrk).') : error;
  } finally {
    clearInterval(interrupting);
  }
}
