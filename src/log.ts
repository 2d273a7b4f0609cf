import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * Structured logs as JSON lines. Every secret is cut out of the finished line, whatever object, error or URL carried it there,
 * so that no call site can forget to redact.
 */
export function createLog(options: {
  level: LogLevel;
  secrets: readonly string[];
  destination?: DestinationStream;
}): Log {
  const destination = options.destination ?? pino.destination({ dest: 1, sync: false });
  const redact = redactor(options.secrets);
  return pino(
    { level: options.level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line: string) => destination.write(redact(line)) },
  );
}

/** A function that replaces every one of the secrets in a text, also in the form in which JSON or a URL would spell it. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const spellings = secrets
    .filter((secret) => secret.length >= 4)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]);
  const longestFirst = [...new Set(spellings)].sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((redacted, secret) => redacted.replaceAll(secret, '[secret]'), text);
}
