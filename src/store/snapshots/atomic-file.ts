import { constants, createReadStream, createWriteStream } from 'node:fs';
import { access, chmod, link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { messageOf, TallyhookError } from '../../platform/errors.ts';
import { makeDirectory } from '../../platform/make-directory.ts';

/** What SQLite keeps beside a file while somebody has it open, or when that somebody did not stop cleanly. */
export const sidecars = ['-wal', '-shm', '-journal'] as const;

/** Only the owner reads what holds votes and credits. */
const ownerOnly = 0o600;

export async function exists(path: string): Promise<boolean> {
  return access(path, constants.F_OK).then(
    () => true,
    () => false,
  );
}

/** Copies the bytes alone: `copyFile` would give the copy the mode of the original, and others might read it. */
export async function copyBytes(from: string, to: string): Promise<void> {
  await pipeline(createReadStream(from), createWriteStream(to, { mode: ownerOnly }));
}

/**
 * Makes a file that is there whole or not at all: `write` fills `FILE.partial`, which nobody else may read, and only
 * when it has succeeded does the file get its name. Nothing is overwritten, and a failure leaves nothing behind. Throws
 * TallyhookError `file_exists`, `partial_exists` and `cannot_write`, and a TallyhookError of `write`; whatever else
 * that throws is the cause of a `cannot_write`.
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
    await chmod(partial, ownerOnly);
    await sync(partial);
    await giveName(partial, path);
    // The name too; not every system lets a folder be opened for that.
    await sync(dirname(path)).catch(() => {});
    return result;
  } catch (error) {
    throw error instanceof TallyhookError ? error : cannotWrite(path, error);
  } finally {
    for (const left of ['', ...sidecars]) await rm(`${partial}${left}`, { force: true });
  }
}

/** Makes the folder of a file where there is none. Throws TallyhookError `cannot_write`. */
export async function createParentFolder(path: string): Promise<void> {
  try {
    makeDirectory(dirname(path));
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

/** Two who write the same file at once would spoil each other's: the second one finds the partial file. */
async function reserve(partial: string): Promise<void> {
  try {
    await (await open(partial, 'wx', ownerOnly)).close();
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw cannotWrite(partial, error);
    throw new TallyhookError('partial_exists', `${partial} is there already.`, {
      hint: 'Another one is being made, or one was broken off: if none is under way, remove it.',
    });
  }
}

/** A link, unlike a rename, never replaces what is there; some file systems know no links. */
async function giveName(partial: string, path: string): Promise<void> {
  try {
    await link(partial, path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST' || (await exists(path))) throw fileExists(path);
    await rename(partial, path);
  }
}

/** On disk, and not only on its way there. */
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
    hint: 'Choose a folder that exists, that this user may write, and whose disk has room.',
  });
}

function fileExists(path: string): TallyhookError {
  return new TallyhookError('file_exists', `${path} is there already, and is not overwritten.`, {
    hint: 'Choose another name, or move it away.',
  });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
