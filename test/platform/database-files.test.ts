import { copyFileSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import {
  createFileCheck,
  hasNoOtherLog,
  identifyFiles,
  isDatabaseInPlace,
  releaseFiles,
} from '../../src/platform/database-files.ts';
import { openSqlite } from '../../src/platform/sqlite.ts';
import { tempDir } from '../support/temp-dir.ts';

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
  return { path, backup, files, check };
}

it.each<[what: string, damage: (path: string, backup: string) => void, part: string, hint: string]>([
  ['is deleted', (path) => rmSync(path), 'database', '/proc/'],
  ['is replaced by another one', (path, backup) => renameSync(backup, path), 'database', '/proc/'],
  ['is overwritten with an older one', (path, backup) => copyFileSync(backup, path), 'database', 'backup'],
  ['is truncated', (path) => truncateSync(path), 'database', 'backup'],
  ['loses its -wal', (path) => rmSync(`${path}-wal`), 'log', 'SIGTERM'],
  ['loses its -shm', (path) => rmSync(`${path}-shm`), 'log', 'SIGTERM'],
])('an open database that %s is noticed', (_what, damage, part, hint) => {
  const { path, backup, check } = openDatabase();
  damage(path, backup);
  expect(check()).toMatchObject({ part, code: 'database_file_replaced', hint: expect.stringContaining(hint) });
});

it('a database that is moved away is in place again when it is moved back', () => {
  const { files, check } = openDatabase();
  const folder = dirname(files.path);
  renameSync(folder, `${folder}-moved`);
  expect([check()?.part, isDatabaseInPlace(files)]).toEqual(['database', false]);
  renameSync(`${folder}-moved`, folder);
  expect([check(), isDatabaseInPlace(files)]).toEqual([null, true]);
});

it('a deleted log can be created again, unless another program has done so', () => {
  const { path, backup, files } = openDatabase();
  expect(hasNoOtherLog(files)).toBe(true);
  rmSync(`${path}-wal`);
  expect(hasNoOtherLog(files)).toBe(true);
  copyFileSync(backup, `${path}-wal`);
  expect(hasNoOtherLog(files)).toBe(false);
});
