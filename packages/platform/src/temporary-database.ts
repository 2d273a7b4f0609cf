import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The SQLite file of the option `database: ':memory:'`, which only this user can read. */
export function createTemporaryDatabase(): { readonly path: string; readonly remove: () => void } {
  const directory = mkdtempSync(join(tmpdir(), 'tallyhook-'));
  return { path: join(directory, 'votes.db'), remove: () => rmSync(directory, { recursive: true, force: true }) };
}
