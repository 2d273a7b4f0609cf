import { pino } from 'pino';
import { prettyLine } from './log-lines.ts';
import { createRedactor, markRedacting, type Redactor } from './redactor.ts';

/** What the program logs with: fields come first, as in pino. */
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
  /** What no line may contain. */
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
/** With a redactor, to which secrets are added later. @internal */
export function createLog(options: RedactingOptions): ProgramLog;
export function createLog(options: RedactingOptions): ProgramLog {
  const destination = options.destination ?? pino.destination({ dest: 1, sync: false });
  const redact = typeof options.secrets === 'function' ? options.secrets : createRedactor(options.secrets);
  const { fields } = options;
  const format = options.format === 'pretty' ? prettyLine : (line: string) => line;
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
