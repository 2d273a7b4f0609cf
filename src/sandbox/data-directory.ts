import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf, TallyhookError } from '@tallyhook/platform/errors';
import { makeDirectory } from '@tallyhook/platform/make-directory';

const databases = ['service.db', 'tallyhook.db', 'cache.db'] as const;
const stateFiles = ['discord.json', 'clock.json', 'listings.json', 'sites.json', 'settings.key', 'tour.json'] as const;
type DataFile = (typeof databases)[number] | (typeof stateFiles)[number];

export type DataDirectory = ReturnType<typeof openDataDirectory>;

/**
 * Opens the directory that holds the sandbox's state, and creates it if necessary.
 *
 * @param path without it, a temporary directory
 * @throws TallyhookError `cannot_write`
 */
export function openDataDirectory(path: string | undefined) {
  const directory = path ?? mkdtempSync(join(tmpdir(), 'tallyhook-sandbox-'));
  try {
    makeDirectory(directory);
    accessSync(directory, constants.W_OK);
  } catch (cause) {
    const message = `The sandbox cannot use the directory ${directory}: ${messageOf(cause)}.`;
    throw new TallyhookError('cannot_write', message, { cause, hint: 'Use --data to name a writable directory.' });
  }
  return {
    path: directory,
    /** The path of one of its files. */
    file: (name: DataFile) => join(directory, name),
    /** Deletes a temporary directory; a named one remains. */
    async stop() {
      if (path === undefined) await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Deletes the sandbox's own files only, so a directory named by mistake loses nothing else. */
export function deleteState(directory: string): void {
  const names = [
    ...databases.flatMap((name) => ['', '-wal', '-shm'].map((suffix) => name + suffix)),
    ...stateFiles.flatMap((name) => ['', '.new', '.damaged'].map((suffix) => name + suffix)),
  ];
  for (const name of names) rmSync(join(directory, name), { force: true });
}
