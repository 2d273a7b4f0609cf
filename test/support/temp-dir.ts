import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Creates a directory for the running test, which is removed when the test has finished. */
export function tempDir(): string {
  const directory = mkdtempSync(join(tmpdir(), 'tallyhook-test-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
