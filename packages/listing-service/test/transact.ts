import type { Database } from '../src/storage/database.ts';
import type { Execute } from '../src/storage/engine.ts';

/** Runs `work` in a transaction of SQLite, without a turn of the event loop between its statements. */
export function transact<Result>({ engine }: Database, work: (execute: Execute) => Result): Promise<Result> {
  if (engine.name !== 'sqlite') throw new TypeError('PostgreSQL cannot run a transaction without waiting.');
  return engine.transact(work);
}
