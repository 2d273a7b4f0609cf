import { backup } from 'node:sqlite';
import { messageOf, TallyhookError } from '../../platform/errors.ts';
import { openSqlite } from '../../platform/sqlite.ts';
import { DatabaseTooNewError } from '../migrations/migrate.ts';
import { copyBytes, createParentFolder, exists, sidecars, writeFileAtomically } from './atomic-file.ts';
import { balanceDifferences } from './audit.ts';
import { readDatabaseStatus } from './database-status.ts';
import { openReadSnapshot, sqliteSnapshot } from './sqlite-snapshot.ts';
import { contentsOf, type DatabaseContents } from './statistics.ts';

/** Pages that are copied before anybody else gets a turn: a few ms. */
const pagesAtOnce = 2_000;

/** A copy that was proved whole, and what is in it. */
export interface CopyResult extends DatabaseContents {
  /** How many users' balances are not the sum of their entries; a true copy of a faulty ledger has them too. */
  readonly balanceDifferences: number;
}

export interface BackupOptions {
  /** Told how much is done, from 0 to 1. */
  readonly onProgress: (share: number) => void;
  /** Breaks it off, with TallyhookError `stopped`. */
  readonly stop: AbortSignal;
}

/**
 * Copies a SQLite database, as it is at one moment, into a file of its own, beside whoever writes it. The copy is proved before it gets
 * its name. Throws TallyhookError: `no_database`, `not_ours`, `damaged`, `stopped`, {@link DatabaseTooNewError}, and those of {@link writeFileAtomically}.
 */
export async function backUp(from: string, to: string, { onProgress, stop }: BackupOptions): Promise<CopyResult> {
  await requireOurs(from, from, 'Check DATABASE_URL, and the folder in which this is run.');
  return writeFileAtomically(to, async (partial) => {
    // What changed for us while it is copied would begin the copy anew with each commit.
    const source = openReadSnapshot(from);
    try {
      await backup(source, partial, {
        rate: pagesAtOnce,
        progress({ totalPages, remainingPages }) {
          if (stop.aborted) throw new TallyhookError('stopped', 'The backup was stopped. Nothing is left of it.');
          onProgress(1 - remainingPages / totalPages);
        },
      });
    } finally {
      source.close();
    }
    return prove(partial);
  });
}

/**
 * Makes a copy the database at `to`, where there must be none. The copy is proved before it gets its name; the file
 * itself is only read, and stays as it is. Throws what {@link backUp} throws, and TallyhookError `in_use` and
 * `database_exists`.
 */
export async function restoreBackup(file: string, to: string): Promise<CopyResult> {
  for (const companion of sidecars) if (await exists(to + companion)) throw inUse(to + companion);
  if (await exists(to)) throw databaseExists(to);
  const cure = 'Give a file that `tallyhook backup` has made.';
  if (!(await exists(file))) throw new TallyhookError('no_database', `There is no file ${file}.`, { hint: cure });
  await createParentFolder(to);
  return writeFileAtomically(to, async (partial) => {
    await copyBytes(file, partial);
    // What was copied by hand while it was in use has its last commits beside it.
    if (await exists(`${file}-wal`)) await copyBytes(`${file}-wal`, `${partial}-wal`);
    await requireOurs(partial, file, cure);
    return prove(partial);
  });
}

/** Throws unless the file at `path`, which people know as `name`, is a database of ours that this program can read. */
async function requireOurs(path: string, name: string, cure: string): Promise<void> {
  const standing = await readDatabaseStatus(`sqlite:${path}`);
  switch (standing.state) {
    case 'absent':
      throw new TallyhookError('no_database', `There is no database in ${name}.`, { hint: cure });
    case 'foreign':
      throw new TallyhookError('not_ours', `${name} is a database, but not one of tallyhook.`, { hint: cure });
    case 'unreadable':
      throw new TallyhookError('damaged', `${name} cannot be read as a database: ${standing.reason}.`, { hint: cure });
    case 'newer':
      throw new DatabaseTooNewError(standing.unknown);
    case 'older':
    case 'current':
      return;
  }
}

/** Makes the copy a single file, and reads all of it. Throws TallyhookError `damaged`. */
async function prove(path: string): Promise<CopyResult> {
  try {
    // A copy remembers that it was in WAL mode, and would want its companions again.
    const database = openSqlite(path, { busyTimeoutMs: 0 });
    database.exec('PRAGMA journal_mode = DELETE');
    database.close();
    const snapshot = sqliteSnapshot(path);
    try {
      const damage = await snapshot.integrityErrors('whole');
      if (damage.length > 0) throw new Error(damage.join('; '));
      const { count } = await balanceDifferences(snapshot);
      return { ...(await contentsOf(snapshot)), balanceDifferences: count };
    } finally {
      await snapshot.close();
    }
  } catch (error) {
    throw new TallyhookError('damaged', `The copy is damaged: ${messageOf(error)}. It was not kept.`, {
      cause: error,
      hint: 'The original most likely is damaged too: run `tallyhook doctor`, and keep your earlier backups.',
    });
  }
}

function inUse(companion: string): TallyhookError {
  return new TallyhookError('in_use', `${companion} is there: a program is using a database of this name.`, {
    hint: 'Stop tallyhook first. If it is stopped, move that file away together with the database that it belongs to.',
  });
}

function databaseExists(path: string): TallyhookError {
  return new TallyhookError('database_exists', `There is a database at ${path}, and it is not overwritten.`, {
    hint: 'If the backup shall take its place, stop tallyhook and move it away first.',
  });
}
