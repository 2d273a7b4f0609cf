import type { DatabaseFileReplaced } from './database-files.ts';
import { second } from './durations.ts';
import type { Log } from './log.ts';

const interval = 1 * second;

/** Logs when the database's files are no longer at their paths, and when they are back. Keeps no process running. */
export function monitorFiles(check: () => DatabaseFileReplaced | null, log: Log): { stop(): void } {
  let reported: string | undefined;
  const timer = setInterval(() => {
    const replaced = check();
    if (replaced?.file === reported) return;
    reported = replaced?.file;
    if (replaced === null) return log.info('the database file is back; writes are accepted again');
    const { code, file, hint: cure, message } = replaced;
    log.error({ code, file, cure }, `${message} Nothing is accepted that would have to be stored.`);
  }, interval);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
