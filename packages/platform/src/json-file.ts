import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import type { z } from 'zod';
import type { Clock } from './clock.ts';
import { privateMode } from './create-private-file.ts';
import { messageOf } from './errors.ts';
import type { Log } from './log.ts';

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
    log.warn({ file: path, renamedTo }, 'invalid state file renamed; starting with empty state');
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
        log.warn({ file: path, reason: messageOf(error) }, 'cannot write the state file');
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
