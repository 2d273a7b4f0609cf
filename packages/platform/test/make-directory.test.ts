import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeDirectory } from '../src/make-directory.ts';
import { tempDir } from '../testing/temp-dir.ts';

describe('a directory', () => {
  it('is created with its parents, and may exist', () => {
    const path = join(tempDir(), 'a', 'b', 'c');
    makeDirectory(path);
    makeDirectory(path);
    expect(existsSync(path)).toBe(true);
  });

  it('that cannot be created is an error', () => {
    const folder = tempDir();
    writeFileSync(join(folder, 'file'), '');
    symlinkSync('/nowhere/at/all', join(folder, 'dangling'));
    for (const path of [
      '/proc/none/at/all',
      join(folder, 'file', 'x'),
      join(folder, 'file'),
      join(folder, 'dangling', 'x'),
    ])
      expect(() => makeDirectory(path), path).toThrow(/^E[A-Z]+: /);
  });
});
