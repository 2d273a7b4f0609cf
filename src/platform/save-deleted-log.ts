import type { DatabaseSync } from 'node:sqlite';
import { type DatabaseFiles, hasNoOtherLog } from './database-files.ts';

/**
 * Writes a write-ahead log that was deleted, and is still open here, into the database, so that it is not lost with the
 * process. The caller has checked that the database itself is still the open one. Returns whether everything was
 * written. Takes as long as any checkpoint. Never throws.
 */
export function saveDeletedLog(database: DatabaseSync, files: DatabaseFiles): boolean {
  // Another program that has the database open with a log of its own would not see that its pages change.
  if (!hasNoOtherLog(files)) return false;
  try {
    // Waits for other connections to end their transactions, with its busy timeout (sqlite.org/pragma.html).
    const result = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    return result?.['log'] === result?.['checkpointed'];
  } catch {
    // Such as on a full disk: it is tried again.
    return false;
  }
}
