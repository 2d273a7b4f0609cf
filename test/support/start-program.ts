import { type ChildProcess, spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';

export interface Program {
  readonly process: ChildProcess;
  /** What it has written so far. */
  readonly output: () => string;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
  /** The address that it listens on, from its log. */
  readonly url: () => Promise<string>;
}

/** The first file of the program, as `npm start` runs it. */
const source = new URL('../../src/launch.js', import.meta.url).pathname;

/** The real program as a process of its own, with nothing of this one's environment but the path. `through` is a program that starts it. */
export function startProgram(
  args: readonly string[],
  environment: Record<string, string>,
  cwd: string,
  through: readonly string[] = [],
  launcher = source,
): Program {
  const [command = process.execPath, ...words] = [...through, process.execPath, launcher, ...args];
  const child = spawn(command, words, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout?.on('data', (data) => (output += String(data)));
  child.stderr?.on('data', (data) => (output += String(data)));
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.on('exit', (code, signal) => resolve(code ?? signal));
  });
  onTestFinished(() => void child.kill('SIGKILL'));

  return {
    process: child,
    output: () => output,
    ended,
    async url() {
      for (let tries = 0; tries < 1_200; tries += 1) {
        const [, url] = /"url":"([^"]+)","msg":"receiving webhooks"/.exec(output) ?? [];
        if (url !== undefined) return url;
        if (child.exitCode !== null || child.signalCode !== null) break;
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      throw new Error(`The program does not listen:\n${output}`);
    },
  };
}
