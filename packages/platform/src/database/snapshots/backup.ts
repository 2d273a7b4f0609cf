import { messageOf, TallyhookError } from '../../errors.ts';
import { nodeSqlite, openSqlite } from '../../sqlite.ts';
import { DatabaseTooNewError } from '../database-too-new-error.ts';
import { DatabaseUnreleasedError } from '../database-unreleased-error.ts';
import { copyBytes, createParentFolder, exists, sidecars, writeFileAtomically } from './atomic-file.ts';
import { statusOfDatabase } from './database-status.ts';
import type { DatabaseProgram } from './program.ts';
import type { DatabaseSnapshot } from './snapshot.ts';
import { openReadSnapshot, sqliteSnapshot } from './sqlite-snapshot.ts';

/** Pages that are copied per turn of the event loop: a few ms. */
const pagesPerStep = 2_000;

/** The part of a backup that differs between programs. */
export interface CopyFormat<Tables, Contents> {
  readonly program: DatabaseProgram;
  /** Reads the contents of a copy and checks what only the program knows. An error that it throws means damage. */
  readContents(snapshot: DatabaseSnapshot<Tables>): Promise<Contents>;
  /** The hint for a database that is not the expected one: which setting names it. */
  readonly databaseHint: string;
  /** The commands of the program, for hints. */
  readonly commands: { readonly backup: string; readonly doctor: string };
  /** The program to stop before a restore, for hints. */
  readonly programToStop: string;
}

export interface BackupOptions {
  /** Called with the completed share, from 0 to 1; with 1 before the copy is verified. */
  readonly onProgress: (share: number) => void;
  /** Aborts the backup, which then rejects with TallyhookError `stopped`. */
  readonly stop: AbortSignal;
}

/**
 * Copies a consistent snapshot of a SQLite database into a new file, while other processes may write to the database.
 * The copy is verified before it gets its final name. Throws TallyhookError `no_database`, `not_ours`, `damaged` and
 * `stopped`, {@link DatabaseTooNewError}, {@link DatabaseUnreleasedError}, and what {@link writeFileAtomically} throws.
 */
export async function copyDatabase<Tables, Contents>(
  format: CopyFormat<Tables, Contents>,
  from: string,
  to: string,
  { onProgress, stop }: BackupOptions,
): Promise<Contents> {
  await requireDatabase(format.program, { path: from, name: from, hint: format.databaseHint });
  return writeFileAtomically(to, async (partial) => {
    // A snapshot, because SQLite restarts a backup whenever its source changes.
    const source = openReadSnapshot(from);
    try {
      await nodeSqlite().backup(source, partial, {
        rate: pagesPerStep,
        progress({ totalPages, remainingPages }) {
          if (stop.aborted)
            throw new TallyhookError('stopped', 'The backup was stopped, and its partial file was deleted.');
          onProgress(1 - remainingPages / totalPages);
        },
      });
      onProgress(1);
    } finally {
      source.close();
    }
    return verifyCopy(format, partial);
  });
}

/**
 * Restores a backup to `to`, where no database may exist. The copy is verified before it gets its final name; the
 * backup is only read. Throws what {@link copyDatabase} throws, and TallyhookError `in_use` and `database_exists`.
 */
export async function restoreDatabase<Tables, Contents>(
  format: CopyFormat<Tables, Contents>,
  file: string,
  to: string,
): Promise<Contents> {
  const { programToStop, commands } = format;
  for (const suffix of sidecars) if (await exists(to + suffix)) throw inUse(to + suffix, programToStop);
  if (await exists(to)) throw databaseExists(to, programToStop);
  const hint = `Specify a file that \`${commands.backup}\` has created.`;
  if (!(await exists(file))) throw new TallyhookError('no_database', `The file ${file} does not exist.`, { hint });
  await createParentFolder(to);
  return writeFileAtomically(to, async (partial) => {
    await copyBytes(file, partial);
    // A file that was copied while in use has its last commits in its write-ahead log.
    if (await exists(`${file}-wal`)) await copyBytes(`${file}-wal`, `${partial}-wal`);
    await requireDatabase(format.program, { path: partial, name: file, hint });
    return verifyCopy(format, partial);
  });
}

/** Throws unless the file at `path`, called `name` in errors, is a database of this or an older version of the program. */
async function requireDatabase(
  program: DatabaseProgram,
  { path, name, hint }: { path: string; name: string; hint: string },
): Promise<void> {
  const status = await statusOfDatabase(`sqlite:${path}`, program);
  switch (status.state) {
    case 'absent':
      throw new TallyhookError('no_database', `${name} does not contain a database.`, { hint });
    case 'foreign': {
      const owner = status.owner === null ? 'another program' : `${status.owner}, not of ${program.name}`;
      throw new TallyhookError('not_ours', `${name} is a database of ${owner}.`, { hint });
    }
    case 'unreadable':
      throw new TallyhookError('damaged', `${name} cannot be read as a database: ${status.reason}.`, { hint });
    case 'newer':
      throw new DatabaseTooNewError(status.unknown);
    case 'unreleased':
      throw new DatabaseUnreleasedError();
    case 'older':
    case 'current':
      return;
  }
}

/** Makes the copy a single file and checks all of it. Throws TallyhookError `damaged`. */
async function verifyCopy<Tables, Contents>(
  { readContents, commands }: CopyFormat<Tables, Contents>,
  path: string,
): Promise<Contents> {
  try {
    // The file header stores WAL mode, which needs -wal and -shm files.
    const database = openSqlite(path, { busyTimeoutMs: 0 });
    database.exec('PRAGMA journal_mode = DELETE');
    database.close();
    const snapshot = sqliteSnapshot<Tables>(path);
    try {
      const integrityErrors = await snapshot.integrityErrors('whole');
      if (integrityErrors.length > 0) throw new Error(integrityErrors.join('; '));
      return await readContents(snapshot);
    } finally {
      await snapshot.close();
    }
  } catch (error) {
    throw new TallyhookError('damaged', `The copy is damaged: ${messageOf(error)}. It was deleted.`, {
      cause: error,
      hint: `The original is probably damaged too: run \`${commands.doctor}\`, and keep earlier backups.`,
    });
  }
}

function inUse(sidecar: string, programToStop: string): TallyhookError {
  return new TallyhookError('in_use', `${sidecar} exists: a program is using a database of this name.`, {
    hint: `Stop ${programToStop} first. If it is not running, move this file away together with its database.`,
  });
}

function databaseExists(path: string, programToStop: string): TallyhookError {
  return new TallyhookError('database_exists', `A database already exists at ${path} and is not overwritten.`, {
    hint: `To replace it with the backup, stop ${programToStop} and move it away first.`,
  });
}
