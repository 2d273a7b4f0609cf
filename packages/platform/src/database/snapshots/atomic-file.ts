import { constants, createReadStream, createWriteStream } from 'node:fs';
import { access, chmod, link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { privateMode } from '../../create-private-file.ts';
import { codeOf, messageOf, TallyhookError } from '../../errors.ts';
import { makeDirectory } from '../../make-directory.ts';

/** Suffixes of the files that SQLite creates beside an open database, and leaves behind after a crash. */
export const sidecars = ['-wal', '-shm', '-journal'] as const;

export async function exists(path: string): Promise<boolean> {
  return access(path, constants.F_OK).then(
    () => true,
    () => false,
  );
}

/** Copies the contents. Unlike `copyFile` it does not copy the mode, with which others might read the copy. */
export async function copyBytes(from: string, to: string): Promise<void> {
  await pipeline(createReadStream(from), createWriteStream(to, { mode: privateMode }));
}

/**
 * Creates a file completely or not at all: `write` writes `FILE.partial` (mode 0600), which is renamed if it succeeds
 * and deleted if it fails. An existing file is not overwritten. Throws TallyhookError `file_exists`, `partial_exists`
 * and `cannot_write`, and any TallyhookError of `write`; other errors become the cause of a `cannot_write`.
 */
export async function writeFileAtomically<Result>(
  path: string,
  write: (partial: string) => Promise<Result>,
): Promise<Result> {
  if (await exists(path)) throw fileExists(path);
  const partial = `${path}.partial`;
  await reserve(partial);
  try {
    const result = await write(partial);
    await chmod(partial, privateMode);
    await sync(partial);
    await publish(partial, path);
    // Syncs the directory entry. Not every system can open a directory.
    await sync(dirname(path)).catch(() => {});
    return result;
  } catch (error) {
    throw error instanceof TallyhookError ? error : cannotWrite(path, error);
  } finally {
    for (const suffix of ['', ...sidecars]) await rm(`${partial}${suffix}`, { force: true });
  }
}

/** Creates the folder of a file if it does not exist. Throws TallyhookError `cannot_write`. */
export async function createParentFolder(path: string): Promise<void> {
  try {
    makeDirectory(dirname(path));
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

/** Creates the partial file. Fails if it exists, so that two processes never write the same file at once. */
async function reserve(partial: string): Promise<void> {
  try {
    await (await open(partial, 'wx', privateMode)).close();
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw cannotWrite(partial, error);
    throw new TallyhookError('partial_exists', `${partial} already exists.`, {
      hint: 'Another process is writing it, or was interrupted. If none is running, delete it.',
    });
  }
}

/**
 * Links the file to its name, because a rename would overwrite an existing file. Renames it if the file system has no
 * links.
 */
async function publish(partial: string, path: string): Promise<void> {
  try {
    await link(partial, path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST' || (await exists(path))) throw fileExists(path);
    await rename(partial, path);
  }
}

/** Flushes a file or directory to disk. */
async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function cannotWrite(path: string, cause: unknown): TallyhookError {
  return new TallyhookError('cannot_write', `${path} cannot be written: ${messageOf(cause)}.`, {
    cause,
    hint: 'Choose an existing folder that this user can write to, on a disk with free space.',
  });
}

function fileExists(path: string): TallyhookError {
  return new TallyhookError('file_exists', `${path} already exists and is not overwritten.`, {
    hint: 'Choose another name, or move the file away.',
  });
}
