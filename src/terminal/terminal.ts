import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { InvalidConfigError } from '../../config/schema.ts';
import { closest } from '../platform/did-you-mean.ts';
import { TallyhookError } from '../platform/errors.ts';

/** Where a command of the command line reads and writes. */
export interface Terminal {
  /** One line of result. */
  readonly print: (line: string) => void;
  /** One line of complaint. */
  readonly printError: (line: string) => void;
  /** What is piped in. */
  readonly input: NodeJS.ReadableStream;
  /** Fires when the process shall end. */
  readonly stop: AbortSignal;
}

/** Exit codes, as everywhere in tallyhook. */
export const exitCode = { ok: 0, runtimeError: 1, usage: 2 } as const;

/** Something is wrong with the words on the command line. */
export class UsageError extends TallyhookError {
  constructor(message: string) {
    super('usage', message, { hint: 'See --help.' });
  }
}

/** The message, and behind it the word of `known` that was probably meant. */
export function withSuggestion(message: string, word: string, known: readonly string[]): string {
  const meant = closest(word, known);
  return meant === undefined ? message : `${message} Did you mean ${meant}?`;
}

/** Resolves when the process is asked to stop. */
export function untilStopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/**
 * Runs a command and turns a {@link TallyhookError}, {@link InvalidConfigError}, what `parseArgs` throws, and an error of the operating system (a path that cannot be
 * used, a port that is taken) into a complaint and an exit code. Any other error is a defect and thrown on.
 */
export async function runCommand(terminal: Terminal, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (thrown) {
    if (isParseFault(thrown)) {
      terminal.printError(`${thrown.message.replace(/\.?$/, '.')} See --help.`);
      return exitCode.usage;
    }
    if (isSystemError(thrown)) {
      terminal.printError(`${thrown.message}.`);
      return exitCode.runtimeError;
    }
    if (thrown instanceof InvalidConfigError) {
      terminal.printError(thrown.message);
      return exitCode.usage;
    }
    if (!(thrown instanceof TallyhookError)) throw thrown;
    terminal.printError(thrown.hint === undefined ? thrown.message : `${thrown.message} ${thrown.hint}`);
    return thrown instanceof UsageError ? exitCode.usage : exitCode.runtimeError;
  }
}

/**
 * A secret from the command line, from a file, or with `-` as the file from what is piped in, so that it need not stand
 * in the shell's history. A trailing newline is no part of it.
 * @throws UsageError where there is none
 * @throws TallyhookError `unreadable_file`
 */
export async function readSecret(
  given: { secret?: string | undefined; file?: string | undefined },
  terminal: Terminal,
): Promise<string> {
  const secret =
    given.secret ??
    (given.file === undefined ? '' : given.file === '-' ? await text(terminal.input) : await readWhole(given.file));
  const trimmed = secret.replace(/\r?\n$/, '');
  if (trimmed === '') throw new UsageError('A secret is missing: give --secret, or --secret-file (- reads the input).');
  return trimmed;
}

async function readWhole(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new TallyhookError('unreadable_file', `The file "${path}" cannot be read.`, {
      cause,
      hint: 'Check the path, and that you may read it.',
    });
  }
}

/** What Node throws when a call of the operating system fails. */
function isSystemError(thrown: unknown): thrown is Error {
  return thrown instanceof Error && 'syscall' in thrown;
}

/** What `node:util` parseArgs throws for words that it does not know. */
function isParseFault(thrown: unknown): thrown is Error {
  return thrown instanceof Error && 'code' in thrown && String(thrown.code).startsWith('ERR_PARSE_ARGS');
}
