import { accessSync, constants, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@tallyhook/platform/clock';
import { privateMode } from '@tallyhook/platform/create-private-file';
import { messageOf, TallyhookError } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { makeDirectory } from '@tallyhook/platform/make-directory';
import type { z } from 'zod';

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

/** How long changes are collected before a write (ms). */
const writeDelayMs = 200;

/**
 * The content of a JSON file; null if the file does not exist. An invalid file is renamed with a warning and counts as missing: the
 * state is a convenience that nobody should have to repair.
 */
export function readJsonFile<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  log: Log,
): z.output<Schema> | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    const renamedTo = `${path}.damaged`;
    renameSync(path, renamedTo);
    log.warn({ file: path, renamedTo }, 'invalid sandbox state file renamed; starting with empty state');
    return null;
  }
}

/** Writes the file atomically: to a temporary file, then renamed. */
export function writeJsonFile(path: string, value: unknown): void {
  writeFileSync(`${path}.new`, JSON.stringify(value), { mode: privateMode });
  renameSync(`${path}.new`, path);
}

/** A file that is rewritten after changes. */
export function openJsonFile(options: {
  path: string;
  /** Returns the value to write; called at the time of each write. */
  snapshot: () => unknown;
  stopwatch: Clock;
  log: Log;
}) {
  const { path, snapshot, stopwatch, log } = options;
  const stopping = new AbortController();
  let writing: Promise<void> | null = null;
  let isDirty = false;

  async function write(): Promise<void> {
    while (isDirty) {
      await stopwatch.sleep(writeDelayMs, stopping.signal);
      isDirty = false;
      try {
        await writeFile(`${path}.new`, JSON.stringify(snapshot()), { mode: privateMode });
        await rename(`${path}.new`, path);
      } catch (error) {
        log.warn({ file: path, reason: messageOf(error) }, 'cannot write the sandbox state file');
      }
    }
    writing = null;
  }

  return {
    /** Schedules a write that includes the changes until then. */
    scheduleWrite() {
      if (stopping.signal.aborted) return;
      isDirty = true;
      writing ??= write();
    },
    /** Writes pending changes and stops. */
    async stop() {
      stopping.abort();
      await writing;
    },
  };
}
