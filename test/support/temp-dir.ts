import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A directory of the running test's own, removed when the test has finished. */
export function tempDir(): string {
  const directory = mkdtempSync(join(tmpdir(), 'tallyhook-test-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
