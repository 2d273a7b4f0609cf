import { type DestinationStream, type Logger, pino } from 'pino';
import { prettyLine } from './log-lines.ts';
import { createRedactor, type Redactor } from './redactor.ts';

/** A pino logger. One that {@link createLog} has not made cuts no secrets out. */
export type Log = Logger;

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * Structured logs, on stdout unless a destination is given, as JSON lines unless the format is `pretty`. Every secret is cut out of the
 * finished line of JSON, whatever object, error or URL carried it there, so that no call site can forget to redact. A redactor in place
 * of the secrets can be told of more of them later.
 */
export function createLog(options: {
  level: LogLevel;
  secrets: readonly string[] | Redactor;
  format?: 'json' | 'pretty';
  destination?: DestinationStream;
}): Log {
  const destination = options.destination ?? pino.destination({ dest: 1, sync: false });
  const redact = typeof options.secrets === 'function' ? options.secrets : createRedactor(options.secrets);
  const format = options.format === 'pretty' ? prettyLine : (line: string) => line;
  return pino(
    { level: options.level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line: string) => destination.write(format(redact(line))) },
  );
}
