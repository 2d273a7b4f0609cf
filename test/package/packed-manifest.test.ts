import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

it('npm packs no scripts, workspaces or overrides, of which package managers would warn', { timeout: 120_000 }, () => {
  const clone = tempDir();
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  // What npm runs before and after it packs is that of the project, but for the build.
  manifest.scripts.build = 'node --version';
  const text = JSON.stringify(manifest, null, 2);
  writeFileSync(join(clone, 'package.json'), text);
  cpSync(join(root, 'scripts'), join(clone, 'scripts'), { recursive: true });
  mkdirSync(join(clone, 'dist', 'package'), { recursive: true });
  writeFileSync(join(clone, 'dist', 'package', 'index.js'), '');
  execFileSync('npm', ['pack', '--offline'], { cwd: clone, stdio: 'pipe' });

  const args = ['-xzOf', `tallyhook-${manifest.version}.tgz`, 'package/package.json'];
  const packed = JSON.parse(execFileSync('tar', args, { cwd: clone, encoding: 'utf8' }));
  const ofClone = ['scripts', 'workspaces', 'overrides', 'allowScripts', 'devDependencies'];
  expect(packed).toEqual(Object.fromEntries(Object.entries(manifest).filter(([name]) => !ofClone.includes(name))));
  expect(readFileSync(join(clone, 'package.json'), 'utf8')).toBe(text);
});
