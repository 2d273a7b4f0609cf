import { backup } from 'node:sqlite';
import { DatabaseTooNewError } from '../../database/migrations/migrate.ts';
import { messageOf, TallyhookError } from '../../platform/errors.ts';
import { openSqlite } from '../../platform/sqlite.ts';
import { copyBytes, createParentFolder, exists, sidecars, writeFileAtomically } from './atomic-file.ts';
import { balanceDifferences } from './audit.ts';
import { readDatabaseStatus } from './database-status.ts';
import { openReadSnapshot, sqliteSnapshot } from './sqlite-snapshot.ts';
import { contentsOf, type DatabaseContents } from './statistics.ts';

/** Pages that are copied per turn of the event loop: a few ms. */
const pagesPerStep = 2_000;

/** Contents of a verified copy. */
export interface CopyResult extends DatabaseContents {
  /**
   * The number of users whose balance is not the sum of their entries. An exact copy of a faulty ledger has them too.
   */
  readonly balanceDifferences: number;
}

export interface BackupOptions {
  /** Called with the completed share, from 0 to 1. */
  readonly onProgress: (share: number) => void;
  /** Aborts the backup, which then rejects with TallyhookError `stopped`. */
  readonly stop: AbortSignal;
}

/**
 * Copies a consistent snapshot of a SQLite database into a new file, while other processes may write to the database.
 * The copy is verified before it gets its final name. Throws TallyhookError `no_database`, `not_ours`, `damaged` and
 * `stopped`, {@link DatabaseTooNewError}, and what {@link writeFileAtomically} throws.
 */
export async function backUp(from: string, to: string, { onProgress, stop }: BackupOptions): Promise<CopyResult> {
  await requireTallyhookDatabase(from, from, 'Check DATABASE_URL and the working directory.');
  return writeFileAtomically(to, async (partial) => {
    // A snapshot, because SQLite restarts a backup whenever its source changes.
    const source = openReadSnapshot(from);
    try {
      await backup(source, partial, {
        rate: pagesPerStep,
        progress({ totalPages, remainingPages }) {
          if (stop.aborted)
            throw new TallyhookError('stopped', 'The backup was stopped, and its partial file was deleted.');
          onProgress(1 - remainingPages / totalPages);
        },
      });
    } finally {
      source.close();
    }
    return verifyCopy(partial);
  });
}

/**
 * Restores a backup to `to`, where no database may exist. The copy is verified before it gets its final name; the
 * backup is only read. Throws what {@link backUp} throws, and TallyhookError `in_use` and `database_exists`.
 */
export async function restoreBackup(file: string, to: string): Promise<CopyResult> {
  for (const suffix of sidecars) if (await exists(to + suffix)) throw inUse(to + suffix);
  if (await exists(to)) throw databaseExists(to);
  const hint = 'Specify a file that `tallyhook backup` has created.';
  if (!(await exists(file))) throw new TallyhookError('no_database', `The file ${file} does not exist.`, { hint });
  await createParentFolder(to);
  return writeFileAtomically(to, async (partial) => {
    await copyBytes(file, partial);
    // A file that was copied while in use has its last commits in its write-ahead log.
    if (await exists(`${file}-wal`)) await copyBytes(`${file}-wal`, `${partial}-wal`);
    await requireTallyhookDatabase(partial, file, hint);
    return verifyCopy(partial);
  });
}

/**
 * Throws unless the file at `path` is a database of this or an older version of tallyhook.
 * @param name its name in error messages
 */
async function requireTallyhookDatabase(path: string, name: string, hint: string): Promise<void> {
  const status = await readDatabaseStatus(`sqlite:${path}`);
  switch (status.state) {
    case 'absent':
      throw new TallyhookError('no_database', `${name} does not contain a database.`, { hint });
    case 'foreign':
      throw new TallyhookError('not_ours', `${name} is a database of another program.`, { hint });
    case 'unreadable':
      throw new TallyhookError('damaged', `${name} cannot be read as a database: ${status.reason}.`, { hint });
    case 'newer':
      throw new DatabaseTooNewError(status.unknown);
    case 'older':
    case 'current':
      return;
  }
}

/** Makes the copy a single file and checks all of it. Throws TallyhookError `damaged`. */
async function verifyCopy(path: string): Promise<CopyResult> {
  try {
    // The file header stores WAL mode, which needs -wal and -shm files.
    const database = openSqlite(path, { busyTimeoutMs: 0 });
    database.exec('PRAGMA journal_mode = DELETE');
    database.close();
    const snapshot = sqliteSnapshot(path);
    try {
      const integrityErrors = await snapshot.integrityErrors('whole');
      if (integrityErrors.length > 0) throw new Error(integrityErrors.join('; '));
      const { count } = await balanceDifferences(snapshot);
      return { ...(await contentsOf(snapshot)), balanceDifferences: count };
    } finally {
      await snapshot.close();
    }
  } catch (error) {
    throw new TallyhookError('damaged', `The copy is damaged: ${messageOf(error)}. It was deleted.`, {
      cause: error,
      hint: 'The original is probably damaged too: run `tallyhook doctor`, and keep earlier backups.',
    });
  }
}

function inUse(sidecar: string): TallyhookError {
  return new TallyhookError('in_use', `${sidecar} exists: a program is using a database of this name.`, {
    hint: 'Stop tallyhook first. If it is not running, move this file away together with its database.',
  });
}

function databaseExists(path: string): TallyhookError {
  return new TallyhookError('database_exists', `A database already exists at ${path} and is not overwritten.`, {
    hint: 'To replace it with the backup, stop tallyhook and move it away first.',
  });
}
