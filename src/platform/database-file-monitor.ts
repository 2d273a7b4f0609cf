import type { DatabaseFileReplacedError } from './database-files.ts';
import { second } from './durations.ts';
import { messageOf } from './errors.ts';
import type { Log } from './log.ts';

const checkIntervalMs = 1 * second;

/**
 * Checks a database's files once a second. Logs when they are no longer at their paths, and when they are back. Does not
 * keep the process alive.
 * @param options.saveLog called if only the write-ahead log was deleted, until it returns true: the log's content is in
 *   the database
 */
export function monitorFiles(options: {
  readonly check: () => DatabaseFileReplacedError | null;
  readonly saveLog: () => boolean;
  /** Called after that, until it returns true: the files were opened again. Null to wait for a restart. */
  readonly reopen: (() => Promise<boolean>) | null;
  readonly log: Log;
}) {
  const { log } = options;
  let reported: string | undefined;
  let isSaved = false;
  let isReopening = false;
  let isStopped = false;

  function check(): void {
    const replaced = options.check();
    if (replaced?.part !== 'log') isSaved = false;
    else if (!isSaved) isSaved = options.saveLog();
    if (isSaved) void reopen();
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

  async function reopen(): Promise<void> {
    if (options.reopen === null || isReopening || isStopped) return;
    isReopening = true;
    try {
      if (!(await options.reopen())) return;
      // The log is another one now, which may be deleted again.
      isSaved = false;
      check();
    } catch (error) {
      log.error({ reason: messageOf(error) }, 'the database could not be opened again');
    } finally {
      isReopening = false;
    }
  }

  const timer = setInterval(check, checkIntervalMs);
  timer.unref();
  return {
    /** Checks now, such as after a failed write. */
    check,
    stop(): void {
      isStopped = true;
      clearInterval(timer);
    },
  };
}

const savedHint =
  'All acknowledged votes were written to the database file. If votes are not accepted again within seconds, another ' +
  'program has the database open: end it, or restart this one. Do not delete -wal and -shm files beside a running program.';
