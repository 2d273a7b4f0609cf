import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { inject } from 'vitest';

/**
 * Creates a SQLite file that has the tables and no rows, by default in a directory of its own. It is a copy, because the
 * migrations take longer than most tests.
 */
export function newSqliteFile(path = join(tempDir(), 'tally.db')): string {
  copyFileSync(inject('sqliteTemplate'), path);
  return path;
}

/** The URL of a {@link newSqliteFile}. */
export function newSqliteUrl(path?: string): string {
  return `sqlite:${newSqliteFile(path)}`;
}
