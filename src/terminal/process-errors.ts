import type { Log } from '../platform/log.ts';

/** Error codes of connections. */
const connectionErrorCodes = [
  'ECONNRESET',
  'ECONNREFUSED',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
];

/** Whether an uncaught error only reports the end of a connection, which its owner has already abandoned. */
export function isConnectionError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && connectionErrorCodes.includes(String(error.code));
}

/**
 * Logs unhandled rejections and uncaught exceptions. Rejections and connection errors do not end the process:
 * @discordjs/ws removes its listeners from an abandoned socket, whose later reset would otherwise stop the receiver.
 * Any other exception ends it with code 1.
 */
export function installProcessErrorHandlers(log: Log): void {
  process.on('unhandledRejection', (reason) => log.error({ err: reason }, 'unhandled rejection'));
  process.on('uncaughtException', (error) => {
    if (isConnectionError(error)) {
      log.warn({ reason: error.message }, 'error on an abandoned connection');
      return;
    }
    log.fatal({ err: error }, 'uncaught exception');
    process.exit(1);
  });
}
