import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Calls a function at the end of what it belongs to: of a test, or of a file. */
export type AtEnd = (stop: () => Promise<void> | void) => void;

/** Creates a directory for the running test, which is removed when the test has finished. */
export function tempDir(atEnd: AtEnd = onTestFinished): string {
  const directory = mkdtempSync(join(tmpdir(), 'tallyhook-test-'));
  atEnd(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
