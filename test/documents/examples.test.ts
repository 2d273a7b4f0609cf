import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..', 'examples');

it('the index of the examples lists each with what it imports', () => {
  const index = readFileSync(join(root, 'README.md'), 'utf8');
  const examples = globSync('*/main.ts', { cwd: root }).map((path) => path.replace('/main.ts', ''));
  expect(examples.length).toBeGreaterThan(0);
  for (const name of examples) {
    const row = index.split('\n').find((line) => line.startsWith('|') && line.includes(`(${name}/README.md)`));
    expect(row, name).toBeDefined();
    const listed = [...(row ?? '').matchAll(/`(tallyhook[\w/]*)`/g)].map(([, entry]) => entry);
    const main = readFileSync(join(root, name, 'main.ts'), 'utf8');
    const imported = [...main.matchAll(/ from '(tallyhook[\w/]*)'/g)].map(([, entry]) => entry);
    expect(new Set(listed), name).toEqual(new Set(imported));
    for (const file of ['README.md', 'package.json']) expect(existsSync(join(root, name, file)), name).toBe(true);
  }
});
