import { execFile } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';

/** A clone with the packages of this one, and what `npm ci` and `npm start` run in it. */
export function newClone() {
  const directory = tempDir();
  for (const name of ['src', 'commands', 'config', 'locales', 'packages', 'scripts', 'package.json', 'tsconfig.json'])
    cpSync(name, join(directory, name), { recursive: true });
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'));
  const run = async (script: string, ...args: readonly string[]) => {
    const path = join(directory, 'scripts', 'clone', script);
    return (await promisify(execFile)(process.execPath, [path, ...args], { cwd: directory })).stdout;
  };
  return { directory, run };
}
