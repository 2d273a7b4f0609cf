import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The unified diff of two texts. */
export function showDifference(before: string, after: string, name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'tallyhook-api-'));
  try {
    writeFileSync(join(folder, 'before'), before);
    writeFileSync(join(folder, 'after'), after);
    execFileSync('git', ['diff', '--no-index', '--unified=2', 'before', 'after'], { cwd: folder, encoding: 'utf8' });
    return '';
  } catch (error) {
    // Its exit status is 1 if the files differ.
    const text = error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
    return `${name} differs from the public API:\n${text.split('\n').slice(4).join('\n')}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
