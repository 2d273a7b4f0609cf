import { backup } from 'node:sqlite';
import { messageOf, TallyhookError } from '../../errors.ts';
import { openSqlite } from '../../sqlite-file.ts';
import { DatabaseTooNew } from '../migrations/migrate.ts';
import { balanceDifferences } from './audit.ts';
import { companions, copyBytes, exists, makeFolderOf, writeWhole } from './copy.ts';
import { openAtMoment, sqliteSnapshot } from './sqlite-snapshot.ts';
import { standingOf } from './standing.ts';
import { type Contents, contentsOf } from './survey.ts';

/** Pages that are copied before anybody else gets a turn: a few ms. */
const pagesAtOnce = 2_000;

/** A copy that was proved whole, and what is in it. */
export interface Copied extends Contents {
  /** How many users' balances are not the sum of their entries; a true copy of a faulty ledger has them too. */
  readonly differing: number;
}

export interface BackupOptions {
  /** Told how much is done, from 0 to 1. */
  readonly onProgress: (share: number) => void;
  /** Breaks it off, with TallyhookError `stopped`. */
  readonly stop: AbortSignal;
}

/**
 * Copies a SQLite database, as it is at one moment, into a file of its own, beside whoever writes it. The copy is proved before it gets
 * its name. Throws TallyhookError: `no_database`, `not_ours`, `damaged`, `stopped`, {@link DatabaseTooNew}, and those of {@link writeWhole}.
 */
export async function backUp(from: string, to: string, { onProgress, stop }: BackupOptions): Promise<Copied> {
  await requireOurs(from, from, 'Check DATABASE_URL, and the folder in which this is run.');
  return writeWhole(to, async (partial) => {
    // What changed for us while it is copied would begin the copy anew with each commit.
    const source = openAtMoment(from);
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
export async function restore(file: string, to: string): Promise<Copied> {
  for (const companion of companions) if (await exists(to + companion)) throw inUse(to + companion);
  if (await exists(to)) throw databaseExists(to);
  const cure = 'Give a file that `tallyhook backup` has made.';
  if (!(await exists(file))) throw new TallyhookError('no_database', `There is no file ${file}.`, { cure });
  await makeFolderOf(to);
  return writeWhole(to, async (partial) => {
    await copyBytes(file, partial);
    // What was copied by hand while it was in use has its last commits beside it.
    if (await exists(`${file}-wal`)) await copyBytes(`${file}-wal`, `${partial}-wal`);
    await requireOurs(partial, file, cure);
    return prove(partial);
  });
}

/** Throws unless the file at `path`, which people know as `name`, is a database of ours that this program can read. */
async function requireOurs(path: string, name: string, cure: string): Promise<void> {
  const standing = await standingOf(`sqlite:${path}`);
  switch (standing.state) {
    case 'absent':
      throw new TallyhookError('no_database', `There is no database in ${name}.`, { cure });
    case 'foreign':
      throw new TallyhookError('not_ours', `${name} is a database, but not one of tallyhook.`, { cure });
    case 'unreadable':
      throw new TallyhookError('damaged', `${name} cannot be read as a database: ${standing.reason}.`, { cure });
    case 'newer':
      throw new DatabaseTooNew(standing.unknown);
    case 'older':
    case 'current':
      return;
  }
}

/** Makes the copy a single file, and reads all of it. Throws TallyhookError `damaged`. */
async function prove(path: string): Promise<Copied> {
  try {
    // A copy remembers that it was in WAL mode, and would want its companions again.
    const database = openSqlite(path, { timeout: 0 });
    database.exec('PRAGMA journal_mode = DELETE');
    database.close();
    const snapshot = sqliteSnapshot(path);
    try {
      const damage = await snapshot.damage('whole');
      if (damage.length > 0) throw new Error(damage.join('; '));
      const { count } = await balanceDifferences(snapshot);
      return { ...(await contentsOf(snapshot)), differing: count };
    } finally {
      await snapshot.close();
    }
  } catch (error) {
    throw new TallyhookError('damaged', `The copy is damaged: ${messageOf(error)}. It was not kept.`, {
      cause: error,
      cure: 'The original most likely is damaged too: run `tallyhook doctor`, and keep your earlier backups.',
    });
  }
}

function inUse(companion: string): TallyhookError {
  return new TallyhookError('in_use', `${companion} is there: a program is using a database of this name.`, {
    cure: 'Stop tallyhook first. If it is stopped, move that file away together with the database that it belongs to.',
  });
}

function databaseExists(path: string): TallyhookError {
  return new TallyhookError('database_exists', `There is a database at ${path}, and it is not overwritten.`, {
    cure: 'If the backup shall take its place, stop tallyhook and move it away first.',
  });
}
