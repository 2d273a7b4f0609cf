import type { DatabaseFileReplacedError } from './database-files.ts';
import { second } from './durations.ts';
import type { Log } from './log.ts';

const checkIntervalMs = 1 * second;

/**
 * Checks a database's files once a second, as the log must say what happened also while nothing is written. Logs when they
 * are no longer at their paths, and when they are back. Does not keep the process alive.
 */
export function monitorFiles(check: () => DatabaseFileReplacedError | null, log: Log) {
  let reported: string | undefined;

  const timer = setInterval(() => {
    const replaced = check();
    if (replaced?.file === reported) return;
    reported = replaced?.file;
    if (replaced === null) {
      log.info('the database file is back; writes are accepted again');
      return;
    }
    const { code, file, hint, message } = replaced;
    log.error({ code, file, hint }, `${message} Until then, writes are rejected.`);
  }, checkIntervalMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
