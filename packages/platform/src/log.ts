import { pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { createRedactor, markRedacting, type Redactor } from './redactor.ts';

/** The logger of the program: fields come first, as in pino. */
export interface Log {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
}

interface LogMethod {
  (fields: object, message: string): void;
  (message: string): void;
}

/** A log of {@link createLog}: the methods of pino. @category Start here */
export type ProgramLog = Record<
  Exclude<LogLevel, 'silent'>,
  {
    (fields: object, message: string): void;
    (message: string, ...values: unknown[]): void;
  }
>;

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
/** The level of a line, or `silent` for no lines. @category Start here */
export type LogLevel = (typeof logLevels)[number];

/** The options of {@link createLog}. @category Start here */
export interface LogOptions {
  /** Lines below it are left out. */
  readonly level: LogLevel;
  /** Secrets that no line may contain. */
  readonly secrets: readonly string[];
  /** JSON lines by default. */
  readonly format?: 'json' | 'pretty';
  /** Stdout by default. */
  readonly destination?: { write(line: string): void };
  /** Adds fields to each line, read when it is written. */
  readonly fields?: () => object;
}

type RedactingOptions = Omit<LogOptions, 'secrets'> & { readonly secrets: readonly string[] | Redactor };

/**
 * Creates a logger of pino that writes JSON lines, or readable lines with the format `pretty`. Secrets are redacted in the
 * final line, so they are removed from any object, error or URL.
 *
 * @category Start here
 * @example
 * ```ts
 * import { createLog } from 'tallyhook';
 *
 * const log = createLog({ level: 'info', secrets: ['hunter2'], format: 'pretty' });
 * log.info({ password: 'hunter2' }, 'signed in'); // without the password
 * ```
 */
export function createLog(options: LogOptions): ProgramLog;
/** Creates a log with a redactor, to which secrets are added later. @internal */
export function createLog(options: RedactingOptions): ProgramLog;
export function createLog(options: RedactingOptions): ProgramLog {
  const destination = options.destination ?? pino.destination({ dest: 1, sync: false });
  const redact = typeof options.secrets === 'function' ? options.secrets : createRedactor(options.secrets);
  const { fields } = options;
  const format = options.format === 'pretty' ? createReadableFormat() : (line: string) => line;
  const logger = pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      ...(fields && { mixin: fields }),
    },
    { write: (line: string) => destination.write(format(redact(line))) },
  );
  return markRedacting(logger, redact);
}

/** Formats a line of pino for a terminal: time, level, message with its hint, and fields on one line, and errors below. */
function createReadableFormat(): (line: string) => string {
  const pretty = prettyFactory({
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
    ignore: 'hint',
    messageFormat: '{msg}{if hint} → {hint}{end}',
  });
  return (line) =>
    pretty(JSON.parse(line, (key, value) => (typeof value === 'string' ? escapeInvisible(key, value) : value)));
}

/** External text in a log must not control the terminal or hide parts of a line. */
function escapeInvisible(key: string, text: string): string {
  const invisible = key === 'stack' ? /(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu : /[\p{Cc}\p{Cf}\u2028\u2029]/gu;
  return text.replaceAll(invisible, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
