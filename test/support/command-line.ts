import { PassThrough, type Readable, Writable } from 'node:stream';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { onTestFinished } from 'vitest';
import { runCommandLine } from '../../src/main.ts';

export interface Run {
  /** The exit code. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What was written to both, in order. */
  readonly output: string;
}

export interface RunningCommand {
  /** The output to stdout and stderr so far. */
  readonly output: () => string;
  /** As a signal does. */
  readonly stop: () => void;
  readonly ended: Promise<Run>;
}

/** Runs the command line in this process until it ends: as the program, but without its start. */
export function runCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  cwd?: string,
): Promise<Run> {
  return startCommand(args, environment, cwd === undefined ? {} : { cwd }).ended;
}

/**
 * Starts the command line in this process, which until its end has only these variables besides PATH, and this working
 * directory; so one runs at a time, or several with the same ones. Its log goes to the output of this process.
 *
 * @param options.input what is typed
 * @param options.onOutput called with the output so far, when there is more
 */
export function startCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  options: {
    readonly cwd?: string;
    readonly input?: Readable;
    readonly onOutput?: (output: string) => void;
  } = {},
): RunningCommand {
  const { cwd = tempDir(), input = new PassThrough(), onOutput = () => {} } = options;
  const stopping = new AbortController();
  const removeErrorHandlers = watchErrorHandlers();
  const restore = enterSurroundings({ PATH: process.env['PATH'], ...environment }, cwd);
  const written = { stdout: '', stderr: '', output: '' };
  const write = (stream: 'stdout' | 'stderr', text: string) => {
    written[stream] += text;
    written.output += text;
    onOutput(written.output);
  };
  const sink = (stream: 'stdout' | 'stderr') =>
    new Writable({
      write(chunk: Buffer | string, _encoding, done) {
        write(stream, String(chunk));
        done();
      },
    });
  const ended = runCommandLine(args, {
    print: (line) => write('stdout', `${line}\n`),
    printError: (line) => write('stderr', `${line}\n`),
    ...{ input, output: sink('stdout'), errorOutput: sink('stderr'), environment: process.env, stop: stopping.signal },
  })
    .then((code) => ({ code, ...written }))
    .finally(() => {
      restore();
      removeErrorHandlers();
    });
  onTestFinished(async () => {
    stopping.abort();
    await ended;
  });
  return { output: () => written.output, stop: () => stopping.abort(), ended };
}

/** Replaces the variables and the working directory of this process. Returns a function that restores them. */
function enterSurroundings(environment: Readonly<Record<string, string | undefined>>, cwd: string): () => void {
  const before = { environment: { ...process.env }, cwd: process.cwd() };
  const enter = (variables: Readonly<Record<string, string | undefined>>, directory: string) => {
    for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
    for (const [name, value] of Object.entries(variables)) if (value !== undefined) process.env[name] = value;
    process.chdir(directory);
  };
  enter(environment, cwd);
  return () => enter(before.environment, before.cwd);
}

/** Returns a function that removes the handlers of uncaught errors that were added meanwhile: a program ends with them. */
export function watchErrorHandlers(): () => void {
  const events = ['unhandledRejection', 'uncaughtException'];
  const before = new Set(events.flatMap((event) => process.listeners(event as NodeJS.Signals)));
  return () => {
    for (const event of events as NodeJS.Signals[]) {
      for (const listener of process.listeners(event)) if (!before.has(listener)) process.off(event, listener);
    }
  };
}
