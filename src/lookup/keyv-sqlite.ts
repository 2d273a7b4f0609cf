import { second } from '@tallyhook/platform/durations';
import { openSqlite, sqliteConnection } from '@tallyhook/platform/sqlite';

/*
 * The package contains this adapter and that of Redis: they are pre-releases, and one depends on a native driver that is
 * never loaded (see scripts/bundle.ts).
 */
export { KeyvSqlite } from '@keyv/sqlite';

/** SQLite is synchronous: a lock of another process must not block this one for long (ms). */
const busyTimeoutMs = second / 10;

/** A driver for a cache in a file. That of the adapter prepares each statement for each run, which takes longer. */
export const sqliteDriver = {
  name: 'custom',
  async connect({ filename, wal }: { readonly filename: string; readonly wal?: boolean }) {
    const database = openSqlite(filename, { busyTimeoutMs });
    // SQLite's default: what is used often is in memory anyway.
    database.exec('PRAGMA cache_size = -2000');
    if (wal) database.exec('PRAGMA journal_mode = WAL');
    const { run } = sqliteConnection(() => database);
    return {
      query: async (sql: string, ...parameters: unknown[]) => [...(await run({ sql, parameters }))],
      close: async () => database.close(),
    };
  },
} as const;
