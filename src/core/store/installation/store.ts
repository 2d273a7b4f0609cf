import { run, upsert } from '../query-builder.ts';
import type { Sql, SqlClient } from '../sql-module.ts';
import { type NotedListing, noteKeys, type ProgramNote, parseNote } from './program-note.ts';

/* What the programs that use the database say of themselves. */

export const reads = {
  /** What the program that uses the database has noted of itself. */
  async note({ db, connection }: Sql): Promise<ProgramNote> {
    const keys = Object.values(noteKeys);
    const rows = await run(connection, db.selectFrom('installation').selectAll().where('key', 'in', keys));
    return parseNote(new Map(rows.map(({ key, value }) => [key, value])));
  },
};

export const writes = {
  async noteListings(sql: Sql, listings: readonly NotedListing[]): Promise<void> {
    await upsert(sql, 'installation', { key: noteKeys.listings }, { value: JSON.stringify(listings) });
  },

  async noteCommands(sql: Sql, names: readonly string[]): Promise<void> {
    await upsert(sql, 'installation', { key: noteKeys.commands }, { value: JSON.stringify(names) });
  },
};

export type InstallationStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;
