import type { Log } from '../platform/log.ts';

/** What a socket that nobody listens to any more may still say. */
const ofConnections = [
  'ECONNRESET',
  'ECONNREFUSED',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
];

/** Whether an error that nobody caught is only the end of a connection, which whoever had opened it has given up already. */
export function isStray(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ofConnections.includes(String(error.code));
}

/**
 * Keeps the receiver alive when a library forgets a socket or a promise: @discordjs/ws takes its listeners off a socket that it gives up,
 * and a reset of it afterwards would end the process. Anything else that nobody caught ends it still.
 */
export function installProcessErrorHandlers(log: Log): void {
  process.on('unhandledRejection', (reason) =>
    log.error({ err: reason }, 'a promise was rejected and nobody listened'),
  );
  process.on('uncaughtException', (error) => {
    if (isStray(error)) {
      log.warn({ reason: error.message }, 'a connection that was given up has ended');
      return;
    }
    log.fatal({ err: error }, 'something broke that nobody foresaw');
    process.exit(1);
  });
}
