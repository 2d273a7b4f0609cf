import { copyFileSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createFileCheck, fileProblems, identifyFiles, releaseFiles } from '../src/database-files.ts';
import { openSqlite } from '../src/sqlite.ts';
import { tempDir } from '../testing/temp-dir.ts';

/** An open database with a write-ahead log, and a copy of it from before a table was added. */
function openDatabase() {
  const path = join(tempDir(), 'tally.db');
  const database = openSqlite(path, { busyTimeoutMs: 100 });
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE votes (id); PRAGMA wal_checkpoint(FULL)');
  const files = identifyFiles(path);
  const check = createFileCheck(files);
  const backup = `${path}.old`;
  copyFileSync(path, backup);
  // A connection counts only the first of its changes.
  const other = openSqlite(path, { busyTimeoutMs: 100 });
  other.exec('CREATE TABLE members (id); PRAGMA wal_checkpoint(FULL)');
  onTestFinished(() => {
    other.close();
    database.close();
    releaseFiles(files);
  });
  expect(check()).toBe(null);
  return { path, backup, check };
}

it.each<[what: string, damage: (path: string, backup: string) => void, problem: keyof typeof fileProblems]>([
  ['is deleted', (path) => rmSync(path), 'database'],
  ['is replaced by another one', (path, backup) => renameSync(backup, path), 'database'],
  ['is overwritten with an older one', (path, backup) => copyFileSync(backup, path), 'database'],
  ['is truncated', (path) => truncateSync(path), 'database'],
  ['loses its -wal', (path) => rmSync(`${path}-wal`), 'log'],
  ['loses its -shm', (path) => rmSync(`${path}-shm`), 'log'],
])('an open database that %s is noticed', (_what, damage, problem) => {
  const { path, backup, check } = openDatabase();
  damage(path, backup);
  expect(check()).toMatchObject({ code: 'database_file_replaced', ...fileProblems[problem] });
});

it('a database that is moved away is in place again when it is moved back', () => {
  const { path, check } = openDatabase();
  const folder = dirname(path);
  renameSync(folder, `${folder}-moved`);
  expect(check()).toMatchObject(fileProblems.database);
  renameSync(`${folder}-moved`, folder);
  expect(check()).toBe(null);
});
