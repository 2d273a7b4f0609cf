import { existsSync, realpathSync } from 'node:fs';
import { systemClock } from '../clock.ts';
import { createPrivateFile } from '../create-private-file.ts';
import { second } from '../durations.ts';
import { TallyhookError } from '../errors.ts';
import type { Log } from '../log.ts';
import { isBusy, nodeSqlite } from '../sqlite.ts';

/** Longer than a program takes to stop: that of an earlier version may still be doing so. */
const stopMs = 15 * second;
const retryMs = second / 4;

/** `shared` by programs that each run a part of one installation. */
export type FileClaim = 'exclusive' | 'shared';

/** The second one reads: the lock lasts as long as the transaction (sqlite.org/lockingv3.html). */
const statements: Readonly<Record<FileClaim, string>> = {
  exclusive: 'BEGIN EXCLUSIVE',
  shared: 'BEGIN; SELECT * FROM sqlite_schema',
};

/**
 * Claims a SQLite file for a program until the process ends, or until the returned function is called. The claim is a lock
 * of the operating system on a file beside it, so that a process that is killed leaves none. Throws what `node:fs` and
 * `node:sqlite` throw.
 * @throws TallyhookError `in_use` if another program has it for longer than `waitMs`, by default than a stop takes
 */
export async function claimFile(
  path: string,
  kind: FileClaim,
  log?: Log,
  waitMs: number = stopMs,
): Promise<() => void> {
  // The same file for every path that leads to the database.
  const file = `${existsSync(path) ? realpathSync(path) : path}.lock`;
  createPrivateFile(file);
  const claim = new (nodeSqlite().DatabaseSync)(file, { timeout: 0 });
  try {
    const deadline = systemClock.monotonic() + waitMs;
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (claim.isTransaction) claim.exec('ROLLBACK');
        claim.exec(statements[kind]);
        return () => claim.close();
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (systemClock.monotonic() > deadline)
          throw new TallyhookError('in_use', `Another program uses the database ${path}.`, { cause: error, hint });
      }
      if (attempt === 1)
        log?.warn({ database: path }, 'another program uses the database: waiting until it has stopped');
      await systemClock.sleep(retryMs);
    }
  } catch (error) {
    claim.close();
    throw error;
  }
}

const hint =
  'Stop it: a SQLite file is for one program at a time, be it a bot or a receiver. Several need a database server: ' +
  'DATABASE_URL=postgres://…';
