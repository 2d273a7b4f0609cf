import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { TallyhookError } from './errors.ts';

/** Device and inode: which file it is, whatever its name. */
interface Identity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/**
 * The files of a SQLite database as they were when it was opened. Plain data, so that another thread can compare with
 * them too.
 */
export interface DatabaseFiles {
  readonly path: string;
  readonly database: Identity;
  /** The write-ahead log and its index; null where this file system does not support them. */
  readonly log: Identity | null;
  readonly index: Identity | null;
  /** The start of the database, null where it was empty. */
  readonly header: Uint8Array | null;
  /** Open for reading as long as the database is, and what a deleted file can be copied from. */
  readonly descriptors: { readonly database: number; readonly log: number | null };
}

/** The message of {@link DatabaseFileReplaced}: it names no path, because `/readyz` shows it to anybody. */
export const fileReplacedMessage = 'The database file was deleted or replaced while the program was running.';

/** SQLite goes on with the files that it has open; what is committed to them is lost at the next start. */
export class DatabaseFileReplaced extends TallyhookError {
  readonly file: string;

  constructor(file: string, hint: string) {
    super('database_file_replaced', fileReplacedMessage, { hint: hint });
    this.file = file;
  }
}

/** Bytes of the header that no commit changes: magic, page size, journal mode (sqlite.org/fileformat.html, 1.3). */
const constantBytes = 24;
const headerSize = 28;

/** To be called when a connection to the database is open and has read from it: only then are all files there. */
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
 * Closes the descriptors, after every connection of this process to the database: closing them earlier would drop its
 * locks (sqlite.org/howtocorrupt.html, 2.2).
 */
export function releaseFiles({ descriptors }: DatabaseFiles): void {
  closeSync(descriptors.database);
  if (descriptors.log !== null) closeSync(descriptors.log);
}

/** A check of whether the files are still the ones at their paths, which costs a few microseconds. */
export function createFileCheck(files: DatabaseFiles): () => DatabaseFileReplaced | null {
  const { path, database, log, index, header, descriptors } = files;
  let changes = header === null ? 0 : changeCounterOf(header);

  /** A file that was written over has other constant bytes, or the smaller change counter of an older backup. */
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
    if (isReplaced(path, database)) return new DatabaseFileReplaced(path, rescueHint(files));
    if (isOverwritten()) return new DatabaseFileReplaced(path, restoreHint(path));
    if (isReplaced(`${path}-wal`, log)) return new DatabaseFileReplaced(`${path}-wal`, stopHint);
    if (isReplaced(`${path}-shm`, index)) return new DatabaseFileReplaced(`${path}-shm`, stopHint);
    return null;
  };
}

function isReplaced(path: string, opened: Identity | null): boolean {
  if (opened === null) return false;
  const present = identityOf(path);
  return present === null || present.ino !== opened.ino || present.dev !== opened.dev;
}

/** Null where there is no such file, also where only a bind mount still shows a deleted one. */
function identityOf(path: string): Identity | null {
  try {
    const { dev, ino, nlink } = statSync(path, { bigint: true });
    return nlink === 0n ? null : { dev, ino };
  } catch {
    return null;
  }
}

/** Null where it cannot be read. */
function headerOf(descriptor: number): Buffer | null {
  const header = Buffer.alloc(headerSize);
  try {
    return readSync(descriptor, header, 0, headerSize, 0) === headerSize ? header : null;
  } catch {
    return null;
  }
}

/** Grows with each change of the first page, and never shrinks. */
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
    `Otherwise keep the program running until its data is rescued: on Linux run \`${copies}\`. ` +
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
  'Restart the program with SIGTERM, and do not kill it: ' +
  'when it stops, it writes into the database what the deleted file held.';
