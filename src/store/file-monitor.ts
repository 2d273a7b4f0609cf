import { second } from '../clock.ts';
import type { DatabaseFileReplaced } from '../database-file.ts';
import type { Log } from '../log.ts';

const interval = 1 * second;

/** Logs when the database's files are no longer at their paths, and when they are back. Keeps no process running. */
export function monitorFiles(check: () => DatabaseFileReplaced | null, log: Log): { stop(): void } {
  let reported: string | undefined;
  const timer = setInterval(() => {
    const replaced = check();
    if (replaced?.file === reported) return;
    reported = replaced?.file;
    if (replaced === null) return log.info('the database file is back; deliveries are stored again');
    const { code, file, cure, message } = replaced;
    log.error({ code, file, cure }, `${message} Every delivery is answered 503.`);
  }, interval);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
