import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import type { z } from 'zod';
import type { Clock } from '../platform/clock.ts';
import { messageOf } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';

/** How long changes gather before they are written (ms). */
const writeDelayMs = 200;

/**
 * What a JSON file holds; null where there is none. One that cannot be understood is put aside, with a warning, and is as good as none:
 * what was kept is a convenience, and nobody should have to mend it.
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
    const backup = `${path}.damaged`;
    renameSync(path, backup);
    log.warn(
      { file: path, aside: backup },
      'what the sandbox remembered is damaged; it was put aside, and this part begins anew',
    );
    return null;
  }
}

/** Writes it whole or not at all: a file of its own takes the place of the old one. */
export function writeJsonFile(path: string, value: unknown): void {
  writeFileSync(`${path}.new`, JSON.stringify(value));
  renameSync(`${path}.new`, path);
}

/** A file that follows something that changes. */
export interface JsonFile {
  /** It will be written soon, together with what changes until then. */
  readonly scheduleWrite: () => void;
  /** Writes what has changed, and no more. */
  stop(): Promise<void>;
}

export function openJsonFile(options: {
  path: string;
  /** What is to be kept, as it is when it is written. */
  snapshot: () => unknown;
  stopwatch: Clock;
  log: Log;
}): JsonFile {
  const { path, snapshot, stopwatch, log } = options;
  const stopping = new AbortController();
  let writing: Promise<void> | null = null;
  let isDirty = false;

  async function write(): Promise<void> {
    while (isDirty) {
      await stopwatch.sleep(writeDelayMs, stopping.signal);
      isDirty = false;
      try {
        await writeFile(`${path}.new`, JSON.stringify(snapshot()));
        await rename(`${path}.new`, path);
      } catch (error) {
        log.warn({ file: path, reason: messageOf(error) }, 'the sandbox cannot write down what it should remember');
      }
    }
    writing = null;
  }

  return {
    scheduleWrite() {
      if (stopping.signal.aborted) return;
      isDirty = true;
      writing ??= write();
    },
    async stop() {
      stopping.abort();
      await writing;
    },
  };
}
