import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onFinished } from './on-finished.ts';

/** Creates a directory, which is removed when the test has finished. */
export function tempDir(): string {
  const directory = mkdtempSync(join(tmpdir(), 'tallyhook-test-'));
  onFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
