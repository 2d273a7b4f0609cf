import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
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

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * Creates a structured log of JSON lines, or of readable lines with the format `pretty`. Secrets are redacted in the
 * final JSON line, so they are removed from any object, error or URL. Pass a redactor instead of a list to add secrets
 * later.
 *
 * @param options.destination stdout by default
 * @example
 * ```ts
 * import { createLog } from 'tallyhook';
 *
 * const log = createLog({ level: 'info', secrets: ['hunter2'], format: 'pretty' });
 * log.info({ password: 'hunter2' }, 'signed in'); // without the password
 * ```
 */
export function createLog(options: {
  level: LogLevel;
  secrets: readonly string[] | Redactor;
  format?: 'json' | 'pretty';
  destination?: DestinationStream;
  /** Adds fields to each line, read when it is written. */
  fields?: () => object;
}): PinoLogger {
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
