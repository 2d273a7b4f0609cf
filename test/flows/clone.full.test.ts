import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newClone } from '../support/clone.ts';

it('npm ci makes the bundle, and no installation fails without it', async () => {
  const { directory, run } = newClone();
  await run('prepare.js');
  const bundle = join(directory, 'dist', 'program');
  expect(existsSync(join(bundle, 'launch.js'))).toBe(true);
  expect(existsSync(`${bundle}.unfinished`)).toBe(false);
  const marked = join(bundle, 'marked');
  writeFileSync(marked, '');
  await run('prepare.js');
  expect(existsSync(marked)).toBe(true);

  writeFileSync(join(directory, 'src', 'main.ts'), 'not a program (');
  await run('prepare.js');
  expect(existsSync(marked)).toBe(true);
  expect(existsSync(`${bundle}.unfinished`)).toBe(false);
  await expect(run('start.js', '--version')).rejects.toThrow('main.ts');
});
