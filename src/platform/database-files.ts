import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { TallyhookError } from './errors.ts';

/** Identifies a file independently of its path. */
interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** The files of a SQLite database when it was opened. Plain data, which can be sent to another thread. */
export interface DatabaseFiles {
  readonly path: string;
  readonly database: FileIdentity;
  /** The write-ahead log and its index; null if the file system does not support them. */
  readonly log: FileIdentity | null;
  readonly index: FileIdentity | null;
  /** The first bytes of the database; null if it was empty. */
  readonly header: Uint8Array | null;
  /** Open for reading as long as the database is open: a deleted file can still be copied from them. */
  readonly descriptors: { readonly database: number; readonly log: number | null };
}

/** What was replaced: the database itself, or only its write-ahead log or the log's index. */
type ReplacedPart = 'database' | 'log';

/** The messages of {@link DatabaseFileReplacedError}. They contain no path, because `/readyz` is public. */
export const fileReplacedMessages: Readonly<Record<ReplacedPart, string>> = {
  database: 'The database file was deleted or replaced while the program was running.',
  log: "The database's -wal or -shm file was deleted while the program ran. If this lasts, restart it with SIGTERM.",
};

/** SQLite continues to use the open files. Data committed to them is lost at the next start. */
export class DatabaseFileReplacedError extends TallyhookError {
  readonly file: string;
  readonly part: ReplacedPart;

  constructor(file: string, part: ReplacedPart, hint: string) {
    super('database_file_replaced', fileReplacedMessages[part], { hint });
    this.file = file;
    this.part = part;
  }
}

/** Bytes of the header that no commit changes: magic, page size, journal mode (sqlite.org/fileformat.html, 1.3). */
const constantBytes = 24;
const headerSize = 28;

/** Call it after a connection to the database was opened and has read from it: only then do all files exist. */
export function identifyFiles(relativePath: string): DatabaseFiles {
  const path = resolve(relativePath);
  const descriptor = openSync(path, 'r');
  const log = identityOf(`${path}-wal`);
  return {
    path,
    database: identityOf(path) ?? { dev: 0n, ino: 0n },
    log,
    index: identityOf(`${path}-shm`),
    header: headerOf(descriptor),
    descriptors: { database: descriptor, log: log && openSync(`${path}-wal`, 'r') },
  };
}

/**
 * Closes the descriptors. Call it after every connection of this process to the database is closed: closing them
 * earlier would release the locks (sqlite.org/howtocorrupt.html, 2.2).
 */
export function releaseFiles({ descriptors }: DatabaseFiles): void {
  closeSync(descriptors.database);
  if (descriptors.log !== null) closeSync(descriptors.log);
}

/** Returns a check, of a few microseconds, whether the open files are still at their paths. */
export function createFileCheck(files: DatabaseFiles): () => DatabaseFileReplacedError | null {
  const { path, database, log, index, descriptors } = files;
  const header = isOpenHere(descriptors.database) ? files.header : null;
  let changes = header === null ? 0 : changeCounterOf(header);

  /** An overwritten file has other constant bytes, or the lower change counter of an older backup. */
  function isOverwritten(): boolean {
    if (header === null) return false;
    const current = headerOf(descriptors.database);
    if (current === null || Buffer.compare(current.subarray(0, constantBytes), header.subarray(0, constantBytes)) !== 0)
      return true;
    const counter = changeCounterOf(current);
    if (counter < changes) return true;
    changes = counter;
    return false;
  }

  return () => {
    if (isReplaced(path, database)) return new DatabaseFileReplacedError(path, 'database', rescueHint(files));
    if (isOverwritten()) return new DatabaseFileReplacedError(path, 'database', restoreHint(path));
    if (isReplaced(`${path}-wal`, log)) return new DatabaseFileReplacedError(`${path}-wal`, 'log', stopHint);
    if (isReplaced(`${path}-shm`, index)) return new DatabaseFileReplacedError(`${path}-shm`, 'log', stopHint);
    return null;
  };
}

/**
 * Whether no other program can have opened the database since its log was deleted: it would have created files of its
 * own, and locked those.
 */
export function hasNoOtherLog({ path, log, index }: DatabaseFiles): boolean {
  const isOther = (file: string, opened: FileIdentity | null) =>
    identityOf(file) !== null && (opened === null || isReplaced(file, opened));
  return !isOther(`${path}-wal`, log) && !isOther(`${path}-shm`, index);
}

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

/** Whether the file at the path of the database is the one that was opened. */
export function isDatabaseInPlace({ path, database }: DatabaseFiles): boolean {
  return !isReplaced(path, database);
}

function isReplaced(path: string, opened: FileIdentity | null): boolean {
  if (opened === null) return false;
  const current = identityOf(path);
  return current === null || current.ino !== opened.ino || current.dev !== opened.dev;
}

/** Null if the file does not exist, or was deleted and is only visible through a bind mount. */
function identityOf(path: string): FileIdentity | null {
  try {
    const { dev, ino, nlink } = statSync(path, { bigint: true });
    return nlink === 0n ? null : { dev, ino };
  } catch {
    return null;
  }
}

/** In Deno, a descriptor is valid only in the thread that has opened it. */
function isOpenHere(descriptor: number): boolean {
  try {
    fstatSync(descriptor);
    return true;
  } catch {
    return false;
  }
}

/** Null if it cannot be read. */
function headerOf(descriptor: number): Buffer | null {
  const header = Buffer.alloc(headerSize);
  try {
    return readSync(descriptor, header, 0, headerSize, 0) === headerSize ? header : null;
  } catch {
    return null;
  }
}

/** Increases with each change of the first page. */
function changeCounterOf(header: Uint8Array): number {
  return Buffer.from(header).readUInt32BE(constantBytes);
}

function rescueHint({ path, descriptors }: DatabaseFiles): string {
  const open = (descriptor: number) => `/proc/${process.pid}/fd/${descriptor}`;
  const copies = [
    `cp ${open(descriptors.database)} RESCUED.db`,
    ...(descriptors.log === null ? [] : [`cp ${open(descriptors.log)} RESCUED.db-wal`]),
  ].join(' && ');
  return (
    `If ${path} was moved away, move it back; no restart is needed. ` +
    `Otherwise keep the program running until its data is copied: on Linux run \`${copies}\`. ` +
    `Then stop it, move ${path}, ${path}-wal and ${path}-shm away, put the copies in their place, and start it.`
  );
}

function restoreHint(path: string): string {
  return (
    `If a backup was copied over it: stop the program, move ${path}, ${path}-wal and ${path}-shm away, ` +
    'put the backup in their place again, and start it.'
  );
}

const stopHint =
  'Restart the program with SIGTERM; do not use SIGKILL: ' +
  'on a regular stop the data of the deleted file is written to the database.';
