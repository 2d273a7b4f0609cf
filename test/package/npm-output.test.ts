import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it } from 'vitest';

/** Installs a package that needs another Node, and others, with the settings of npm in this project; returns the output. */
function install(dependencies: Readonly<Record<string, string>>): string {
  const project = tempDir();
  mkdirSync(join(project, 'newer'));
  writeFileSync(
    join(project, 'newer', 'package.json'),
    JSON.stringify({ name: 'newer', version: '1.0.0', engines: { node: '>=999' } }),
  );
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({ name: 'clone', version: '1.0.0', dependencies: { newer: 'file:newer', ...dependencies } }),
  );
  copyFileSync(join(import.meta.dirname, '..', '..', '.npmrc'), join(project, '.npmrc'));
  // `npm test` passes the settings of this project on as variables, which take precedence.
  const own = Object.entries(process.env).filter(([name]) => !/^npm_config_/i.test(name));
  const options = { cwd: project, encoding: 'utf8', env: Object.fromEntries(own) } as const;
  const { stdout, stderr } = spawnSync('npm', ['install', '--offline', '--no-audit', '--no-fund'], options);
  return `${stdout}${stderr}`;
}

describe('npm, in a clone', { timeout: 120_000 }, () => {
  it('does not warn of each package that needs a newer Node than that of the machine', () => {
    const output = install({});
    expect(output).toContain('added 1 package');
    expect(output).not.toContain('EBADENGINE');
  });

  it('prints errors', () => {
    expect(install({ missing: 'file:missing.tgz' })).toMatch(/npm error|npm ERR!/);
  });
});
