import { codeOf } from '../errors.ts';
import type { Log } from '../log.ts';

/** Codes of an uncaught error that only reports the end of a connection, which its owner has already abandoned. */
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

/**
 * Logs unhandled rejections and uncaught exceptions. Rejections and connection errors do not end the process:
 * @discordjs/ws removes its listeners from an abandoned socket, whose later reset would otherwise stop the receiver.
 * Any other exception ends it with code 1. Returns a function that removes the handlers.
 */
export function installProcessErrorHandlers(log: Log & { readonly fatal: Log['error'] }): () => void {
  const onRejection = (reason: unknown) => log.error({ err: reason }, 'unhandled rejection');
  const onException = (error: Error) => {
    if (connectionErrorCodes.includes(codeOf(error) ?? '')) {
      log.warn({ reason: error.message }, 'error on an abandoned connection');
      return;
    }
    log.fatal({ err: error }, 'uncaught exception');
    process.exit(1);
  };
  process.on('unhandledRejection', onRejection);
  process.on('uncaughtException', onException);
  return () => {
    process.off('unhandledRejection', onRejection);
    process.off('uncaughtException', onException);
  };
}
