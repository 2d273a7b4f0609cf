import { type ChildProcess, spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';

export interface Program {
  readonly process: ChildProcess;
  /** The output to stdout and stderr so far. */
  readonly output: () => string;
  /** The exit code, or the signal that terminated the program. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
  /** The address on which it listens, taken from its log. Rejects if the program exits first, or after 30 s. */
  readonly url: () => Promise<string>;
}

/**
 * Starts a program of Node as a child process, which is killed when the test has finished. It inherits only PATH.
 *
 * @param wrapper a command that starts the program, such as `setpriv` with its options
 */
export function startNodeProgram(
  entryFile: string,
  args: readonly string[],
  environment: Record<string, string>,
  cwd: string,
  wrapper: readonly string[] = [],
): Program {
  const [command = process.execPath, ...words] = [...wrapper, process.execPath, entryFile, ...args];
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
      for (let tries = 0; tries < 4_800; tries += 1) {
        const [, url] = /"url":"([^"]+)".*"msg":"(?:receiving webhooks|listening)"/.exec(output) ?? [];
        if (url !== undefined) return url;
        if (child.exitCode !== null || child.signalCode !== null) break;
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      throw new Error(`The program does not listen:\n${output}`);
    },
  };
}
