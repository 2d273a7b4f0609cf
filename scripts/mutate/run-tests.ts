import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Tree } from './tree.ts';

/** What a run of tests found. */
export type TestRun =
  | { readonly outcome: 'passed' }
  /** `test`: its file and name. `message`: the first line of its failure. */
  | { readonly outcome: 'failed'; readonly test: string; readonly file: string | null; readonly message: string }
  /** No test ran. */
  | { readonly outcome: 'broken'; readonly message: string };

/** The part of the JSON report of Vitest that is read here. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Runs that take longer hang (ms). */
const timeout = 20 * 60_000;
const running = new Set<number>();

/** Runs an npm script with these files, or all of its tests, until the first one fails. */
export async function runTests(tree: Tree, script: string, files: readonly string[] = []): Promise<TestRun> {
  const output = join(tree.temporary, 'report.json');
  rmSync(output, { force: true });
  const options = ['--bail', '1', '--retry', '0', '--passWithNoTests', '--reporter', 'json', '--outputFile', output];
  const child = spawn('npm', ['run', '--silent', script, '--', ...options, ...files], {
    cwd: tree.root,
    env: { ...process.env, TMPDIR: tree.temporary },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group, so that the programs which tests have started end as well.
    detached: true,
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('npm could not be started');
  running.add(pid);
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      log = `${log}${text}`.slice(-4_000);
    });
  }
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    killGroup(pid);
  }, timeout);
  // Not `close`: a program that a test has left behind may hold the pipes.
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  killGroup(pid);
  running.delete(pid);

  if (isLate)
    return { outcome: 'failed', test: 'none', file: null, message: `no end after ${timeout / 60_000} minutes` };
  if (code === 0) return { outcome: 'passed' };
  if (!existsSync(output)) return { outcome: 'broken', message: log.trim() };
  const { testResults } = JSON.parse(readFileSync(output, 'utf8')) as Report;
  return firstFailure(testResults, tree.root) ?? brokenRun(testResults.length, log);
}

/** Ends what still runs, when this program is interrupted. */
export function killAll(): void {
  for (const pid of running) killGroup(pid);
}

function firstFailure(results: Report['testResults'], root: string): TestRun | undefined {
  for (const { name, assertionResults } of results) {
    const file = relative(root, name);
    const failed = assertionResults.find(({ status }) => status === 'failed');
    if (failed === undefined) continue;
    const message = firstLine(failed.failureMessages[0] ?? '');
    return { outcome: 'failed', test: `${file} > ${failed.fullName}`, file, message };
  }
  // Without a message, a hook has failed, or the file was interrupted after that.
  const broken = results
    .filter(({ status }) => status === 'failed')
    .sort((a, b) => b.message.length - a.message.length);
  const [first] = broken;
  if (first === undefined) return undefined;
  const file = relative(root, first.name);
  return { outcome: 'failed', test: file, file, message: firstLine(first.message) };
}

/** Such as an unhandled rejection after a test. */
function brokenRun(files: number, log: string): TestRun {
  const errors = log.split('\n').filter((line) => /error/i.test(line));
  if (files === 0) return { outcome: 'broken', message: log.trim() };
  return { outcome: 'failed', test: 'an error outside of tests', file: null, message: errors.join(' ').slice(0, 600) };
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.slice(0, 300) ?? '';
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
