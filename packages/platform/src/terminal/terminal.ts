import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { damagedDatabaseHint } from '../damaged-database.ts';
import { closest } from '../did-you-mean.ts';
import type { KnownErrorCode } from '../error-codes.ts';
import { messageOf, TallyhookError } from '../errors.ts';
import { InvalidConfigError } from '../invalid-config-error.ts';
import { readTextFile } from '../text-file.ts';

/** Input and output of a command. */
export interface Terminal {
  /** Prints a line of the result. */
  readonly print: (line: string) => void;
  /** Prints an error, a warning or progress. */
  readonly printError: (line: string) => void;
  /** Shows a line in place of the one drawn before; null removes it. Missing unless somebody watches, on a terminal. */
  readonly drawLine?: (line: string | null) => void;
  readonly input: Readable;
  /** Where a long result and the questions of a dialog are written. */
  readonly output: Writable;
  /** Where a question is asked whose command prints a result. */
  readonly errorOutput: Writable;
  /** The environment variables (default: none). */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Aborts when the process should stop. */
  readonly stop: AbortSignal;
}

/**
 * The terminal for a program that is a command of another one: what the program says of itself is what people have called.
 * @param name the program's own name, `listing-service`
 * @param called `tallyhook service`
 */
export function calledAs(terminal: Terminal, name: string, called: string): Terminal {
  const ends = [' ', ':', '`'];
  const rename = (line: string) => ends.reduce((text, end) => text.replaceAll(name + end, called + end), line);
  const renamed = (print: (line: string) => void) => (line: string) => print(rename(line));
  return { ...terminal, print: renamed(terminal.print), printError: renamed(terminal.printError) };
}

/**
 * How this machine runs tallyhook: `npm run tallyhook` in a clone.
 *
 * @param script the script of package.json that npm runs, or `npx`; undefined if the program was started without npm
 */
export function programName(script: string | undefined): string {
  if (script === 'tallyhook' || script === 'start') return 'npm run tallyhook';
  return script === 'npx' ? 'npx tallyhook' : 'tallyhook';
}

/** Exit codes of all commands. */
export const exitCode = { ok: 0, runtimeError: 1, usage: 2 } as const;

/** The arguments on the command line are invalid. */
export class UsageError extends TallyhookError {
  constructor(message: string) {
    super('usage', message, { hint: 'See --help.' });
  }
}

/** Appends the best match in `known` to the message, if there is one. */
export function withSuggestion(message: string, word: string, known: readonly string[]): string {
  const suggestion = closest(word, known);
  return suggestion === undefined ? message : `${message} Did you mean ${suggestion}?`;
}

/** Resolves when the process should stop. */
export function untilStopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Sentences for operators, which name the setting of an error of the library, by its code. */
const settingsByCode: Readonly<Record<string, string>> = {
  cannot_listen: 'The settings are HOST and PORT.',
  cannot_open_database: 'The setting is DATABASE_URL.',
} satisfies Partial<Record<KnownErrorCode, string>>;

/**
 * Runs a command. Prints expected errors and returns their exit code: {@link TallyhookError},
 * {@link InvalidConfigError}, and errors of the operating system (a path that cannot be used, a port in use). Rejects with
 * any other error.
 */
export async function runCommand(terminal: Terminal, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (isSystemError(error)) {
      terminal.printError(describeSystemError(error));
      return exitCode.runtimeError;
    }
    if (error instanceof InvalidConfigError) {
      terminal.printError(error.message);
      return exitCode.usage;
    }
    const damageHint = damagedDatabaseHint(error);
    if (damageHint !== undefined) {
      terminal.printError(`The database cannot be read: ${messageOf(error)}. ${damageHint}`);
      return exitCode.runtimeError;
    }
    if (!(error instanceof TallyhookError)) throw error;
    const sentences = [error.message, error.hint, settingsByCode[error.code]];
    terminal.printError(sentences.filter((sentence) => sentence !== undefined).join(' '));
    return error instanceof UsageError ? exitCode.usage : exitCode.runtimeError;
  }
}

/**
 * A secret from an option, from a file, or from stdin if the file is `-`, which keeps it out of the shell history. A
 * trailing newline is removed.
 * @throws UsageError if both are missing or the secret is empty
 * @throws TallyhookError `unreadable_file`
 */
export async function readSecret(
  source: { secret?: string | undefined; file?: string | undefined },
  terminal: Terminal,
): Promise<string> {
  const secret = (source.secret ?? (await readSecretFile(source.file, terminal))).replace(/\r?\n$/, '');
  if (secret === '') throw new UsageError('A secret is missing: use --secret, or --secret-file (- reads stdin).');
  return secret;
}

async function readSecretFile(path: string | undefined, terminal: Terminal): Promise<string> {
  if (path === undefined) return '';
  return path === '-' ? text(terminal.input) : readTextFile(path);
}

/** The most frequent ones as a sentence, others as Node describes them. */
function describeSystemError(error: NodeJS.ErrnoException): string {
  const { code, path, message } = error;
  if (code === 'ENOENT' && path !== undefined) return `"${path}" does not exist.`;
  if (code === 'EACCES' && path !== undefined) return `"${path}" cannot be used: the permission is missing.`;
  if (code === 'EISDIR' && path !== undefined) return `"${path}" is a folder.`;
  return `${message}.`;
}

/** An error of a system call, as thrown by Node. */
function isSystemError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}
