import { closeSync, openSync } from 'node:fs';
import { codeOf } from './errors.ts';

/** For the owner alone. What the program creates contains votes, names or secrets. */
export const privateMode = 0o600;

/**
 * Creates an empty file with mode 0600 before SQLite opens it. SQLite would make it world-readable, and gives the -wal
 * and -shm files the same mode. An existing file is not opened: closing it again would release this process's locks on
 * it (sqlite.org/howtocorrupt.html, 2.2). Throws what `node:fs` throws.
 */
export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', privateMode));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}
