import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Timeout for the end of a process before it is killed, and for its start (ms). */
const stopTimeout = 12_000;
const startTimeout = 30_000;

export interface RunningProcess {
  readonly pid: number;
  /** What the process has written so far. */
  readonly output: () => string;
  /** Ends it with SIGTERM, and with SIGKILL if it does not end. Resolves when it has ended. */
  stop(): Promise<void>;
}

export type StartProcess = (
  name: string,
  command: readonly [string, ...string[]],
  environment?: Readonly<Record<string, string>>,
) => Promise<RunningProcess>;

/** Starts processes whose output goes to files in a directory, and that end with this process. */
export function processesIn(directory: string): StartProcess {
  return async (name, command, environment = {}) => {
    // Linux ends it with SIGKILL when this process is gone, in whatever way.
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', ...command], {
      cwd: directory,
      env: { PATH: process.env['PATH'] ?? '', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Ctrl+C is for this process, which then stops the others in order.
      detached: true,
    });
    const file = createWriteStream(join(directory, `${name}.log`));
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data) => {
        output += String(data);
        file.write(data);
      });
    }
    await once(child, 'spawn');
    return { pid: child.pid ?? 0, output: () => output, stop: () => stop(child) };
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), stopTimeout);
  await ended;
  clearTimeout(kill);
}

/** The entry file of this program. */
const entryFile = new URL('../../src/launch.js', import.meta.url).pathname;

/**
 * Starts this program. Resolves with the address on which it listens.
 * @throws Error with its output if it does not listen
 */
export async function startTallyhook(
  startProcess: StartProcess,
  name: string,
  settings: Readonly<Record<string, string>>,
): Promise<{ url: string; stop(): Promise<void> }> {
  const program = await startProcess(name, [process.execPath, entryFile, 'start'], settings);
  for (const startedAt = performance.now(); performance.now() - startedAt < startTimeout; await pause(25)) {
    const [, url] = /"url":"([^"]+)".*"msg":"(?:receiving webhooks|listening)"/.exec(program.output()) ?? [];
    if (url !== undefined) return { url, stop: program.stop };
  }
  await program.stop();
  throw new Error(`The process "${name}" does not listen:\n${program.output().slice(-2_000)}`);
}
