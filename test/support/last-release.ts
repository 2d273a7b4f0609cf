import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from './temp-dir.ts';

/** The commit of the last release, whose processes may still be running while this version migrates their database. */
export const lastRelease = 'dcbc38585781c3181954f6bb872ddd1ea5745087';

const repository = new URL('../..', import.meta.url).pathname;

/**
 * Extracts the sources of the last release from the history into a temporary directory, which is removed when the test
 * has finished. They run with the installed packages. Returns the directory.
 */
export function checkOutLastRelease(): string {
  const directory = join(tempDir(), 'last-release');
  mkdirSync(directory);
  const archive = archiveOf(lastRelease);
  execFileSync('tar', ['-x', '-C', directory], { input: archive });
  requireCompatiblePackages(directory);
  symlinkSync(join(repository, 'node_modules'), join(directory, 'node_modules'));
  return directory;
}

function archiveOf(commit: string): Buffer {
  const paths = ['package.json', 'src', 'commands', 'config'];
  try {
    return execFileSync('git', ['archive', commit, ...paths], {
      ...{ cwd: repository, maxBuffer: 64 * 1024 * 1024, stdio: ['ignore', 'pipe', 'pipe'] },
    });
  } catch (error) {
    throw new Error(
      `The last release (commit ${commit}) is not in the history of this repository. In a shallow clone, run "git fetch --unshallow".`,
      { cause: error },
    );
  }
}

/** Throws if the last release needs another major version of a package than the one installed. */
function requireCompatiblePackages(directory: string): void {
  const { dependencies } = readPackage(directory);
  for (const [name, version] of Object.entries(dependencies ?? {})) {
    const installed = readPackage(join(repository, 'node_modules', name)).version;
    if (installed.split('.')[0] !== version.split('.')[0]) {
      throw new Error(`The last release needs ${name} ${version}, but ${installed} is installed.`);
    }
  }
}

function readPackage(directory: string): { version: string; dependencies?: Record<string, string> } {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as ReturnType<typeof readPackage>;
}
