import type { Clock } from '../../../platform/clock.ts';
import { second } from '../../../platform/durations.ts';
import { StoreUnavailableError } from '../../../platform/errors.ts';
import { isBusy, resultCode } from '../../../platform/sqlite.ts';
import type { LimitFile } from './limit-file.ts';
import { createLimitRows, type LimitRows } from './limit-rows.ts';

/** How long a transaction waits for another process before it fails (ms). */
const lockTimeoutMs = 3 * second;
/** Maximum time between two attempts to get the lock (ms): others have it for microseconds. */
const maxPollMs = 5;

/** Transactions over a limit file, without a turn of the event loop within one. */
export interface LimitTransactions {
  /** Runs `work` at once; null while another process has the lock. Throws a StoreUnavailableError. */
  tryRun<Result>(work: (rows: LimitRows) => Result): { readonly result: Result } | null;
  /** Runs `work` as soon as no other process has the lock. Rejects with a StoreUnavailableError. */
  run<Result>(work: (rows: LimitRows) => Result): Promise<Result>;
}

export function limitTransactions({ connection, check }: LimitFile, clock: Clock): LimitTransactions {
  const rows = createLimitRows(connection);
  const [begin, commit, rollBack] = ['begin immediate', 'commit', 'rollback'].map((text) => {
    const statement = connection.prepare(text);
    return () => void statement.run([]);
  }) as [() => void, () => void, () => void];

  function tryRun<Result>(work: (rows: LimitRows) => Result): { readonly result: Result } | null {
    check(clock.monotonic());
    try {
      begin();
    } catch (error) {
      if (isBusy(error)) return null;
      throw toUnavailable(error);
    }
    try {
      const result = work(rows);
      commit();
      return { result };
    } catch (error) {
      try {
        rollBack();
      } catch {
        // SQLite has rolled back already, such as after a full disk.
      }
      throw toUnavailable(error);
    }
  }

  return {
    tryRun,
    async run(work) {
      const deadline = performance.now() + lockTimeoutMs;
      for (;;) {
        const done = tryRun(work);
        if (done !== null) return done.result;
        if (performance.now() >= deadline) throw new StoreUnavailableError(new Error('The limit file is locked.'));
        await new Promise((resolve) => setTimeout(resolve, maxPollMs * clock.random()));
      }
    },
  };
}

function toUnavailable(error: unknown): unknown {
  return resultCode(error) === 0 ? error : new StoreUnavailableError(error);
}
