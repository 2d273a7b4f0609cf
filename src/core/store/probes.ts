import { upsert } from './query-builder.ts';
import type { Sql } from './sql-module.ts';

export const reads = {};

export const writes = {
  /** Writes the time (ms since the epoch) to check that the database is writable. */
  async write(sql: Sql, at: number): Promise<void> {
    await upsert(sql, 'probes', { id: 1 }, { at });
  },
};
