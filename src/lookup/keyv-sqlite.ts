/*
 * The package contains this adapter and that of Redis: they are pre-releases, and one depends on a native driver that is
 * never loaded (see scripts/bundle.ts).
 */
export { KeyvSqlite } from '@keyv/sqlite';
