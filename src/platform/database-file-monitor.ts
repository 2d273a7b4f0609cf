import type { DatabaseFileReplacedError } from './database-files.ts';
import { second } from './durations.ts';
import type { Log } from './log.ts';

const checkIntervalMs = 1 * second;

/** Checks a database's files once a second. */
export interface FileMonitor {
  /** Checks now, such as after a failed write. */
  check(): void;
  stop(): void;
}

/**
 * Logs when the database's files are no longer at their paths, and when they are back. Does not keep the process alive.
 * @param options.saveLog called if only the write-ahead log was deleted, until it returns true: the log's content is in
 *   the database
 */
export function monitorFiles(options: {
  readonly check: () => DatabaseFileReplacedError | null;
  readonly saveLog: () => boolean;
  readonly log: Log;
}): FileMonitor {
  const { log } = options;
  let reported: string | undefined;
  let isSaved = false;

  function check(): void {
    const replaced = options.check();
    if (replaced?.part !== 'log') isSaved = false;
    else if (!isSaved) isSaved = options.saveLog();
    const state = replaced === null ? undefined : `${replaced.file} ${isSaved}`;
    if (state === reported) return;
    reported = state;
    if (replaced === null) {
      log.info('the database file is back; writes are accepted again');
      return;
    }
    const { code, file, message } = replaced;
    log.error({ code, file, hint: isSaved ? savedHint : replaced.hint }, `${message} Writes are rejected.`);
  }

  const timer = setInterval(check, checkIntervalMs);
  timer.unref();
  return { check, stop: () => clearInterval(timer) };
}

const savedHint =
  'Restart the program: all acknowledged votes were written to the database file. Do not delete -wal and -shm files ' +
  'beside a running program; if the database was locked, find out which program holds the lock.';
