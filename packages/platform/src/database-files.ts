import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
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
  /** The open file of the database, to read its header; open for reading as long as the database is. */
  readonly descriptor: number;
}

/**
 * Problems of the files: the database itself is another one, or only its write-ahead log or the log's index is. The
 * messages contain no path, because `/readyz` is public.
 */
export const fileProblems = {
  database: {
    message:
      'The database file was deleted or replaced while the program was running. ' +
      'Stop the program, and put the file back or start with a new one.',
    hint:
      'If the file was moved away, stop the program and put it back with its -wal file. If it was deleted or replaced, ' +
      'stop the program, move what is left of the file and of those with -wal and -shm behind its name away, and put a ' +
      'backup in their place or start with a new database. Votes that the backup lacks are lost.',
  },
  log: {
    message:
      "The database's -wal or -shm file was deleted or replaced while the program was running. " +
      'Restart the program with SIGTERM.',
    hint:
      'Do not use SIGKILL: on a regular stop, the votes of the deleted file are written to the database. ' +
      'First end other programs that have the database open.',
  },
} as const;

/** SQLite continues to use the open files. Data committed to them is lost at the next start. */
export class DatabaseFileReplacedError extends TallyhookError {
  readonly file: string;

  constructor(file: string, problem: keyof typeof fileProblems) {
    const { message, hint } = fileProblems[problem];
    super('database_file_replaced', message, { hint });
    this.file = file;
  }
}

/** Bytes of the header that no commit changes: magic, page size, journal mode (sqlite.org/fileformat.html, 1.3). */
const constantBytes = 24;
const headerSize = 28;

/** Call it after a connection to the database was opened and has read from it: only then do all files exist. */
export function identifyFiles(relativePath: string): DatabaseFiles {
  const path = resolve(relativePath);
  const descriptor = openSync(path, 'r');
  return {
    path,
    database: identityOf(path) ?? { dev: 0n, ino: 0n },
    log: identityOf(`${path}-wal`),
    index: identityOf(`${path}-shm`),
    header: headerOf(descriptor),
    descriptor,
  };
}

/**
 * Closes the descriptor. Call it after every connection of this process to the database is closed: closing it earlier
 * would release the locks (sqlite.org/howtocorrupt.html, 2.2).
 */
export function releaseFiles({ descriptor }: DatabaseFiles): void {
  closeSync(descriptor);
}

/** Returns a check, of a few microseconds, whether the open files are still at their paths. */
export function createFileCheck(files: DatabaseFiles): () => DatabaseFileReplacedError | null {
  const { path, database, log, index, descriptor } = files;
  const header = isOpenHere(descriptor) ? files.header : null;
  let changes = header === null ? 0 : changeCounterOf(header);

  /** An overwritten file has other constant bytes, or the lower change counter of an older backup. */
  function isOverwritten(): boolean {
    if (header === null) return false;
    const current = headerOf(descriptor);
    if (current === null || Buffer.compare(current.subarray(0, constantBytes), header.subarray(0, constantBytes)) !== 0)
      return true;
    const counter = changeCounterOf(current);
    if (counter < changes) return true;
    changes = counter;
    return false;
  }

  return () => {
    if (isReplaced(path, database) || isOverwritten()) return new DatabaseFileReplacedError(path, 'database');
    if (isReplaced(`${path}-wal`, log)) return new DatabaseFileReplacedError(`${path}-wal`, 'log');
    if (isReplaced(`${path}-shm`, index)) return new DatabaseFileReplacedError(`${path}-shm`, 'log');
    return null;
  };
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
