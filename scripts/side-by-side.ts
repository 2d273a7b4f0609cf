import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/*
 * Runs the last tagged release beside this version, under load, on SQLite and PostgreSQL: whether processes may be
 * replaced one after the other. Its sources are taken from the history, and run with the installed packages. Another
 * release:
 * node scripts/side-by-side.ts v0.1.0. TALLYHOOK_SIDE_BY_SIDE_SECONDS is how long each of the four phases lasts.
 */

const repository = new URL('..', import.meta.url).pathname;
const git = (...args: readonly string[]) =>
  execFileSync('git', args, { cwd: repository, maxBuffer: 64 * 1024 * 1024, stdio: ['ignore', 'pipe', 'inherit'] });

const released = git('tag', '--list', 'v*', '--sort=-version:refname').toString().split('\n').filter(Boolean);
const tag = process.argv[2] ?? released.find((name) => /^v\d+\.\d+\.\d+$/.test(name));
if (tag === undefined) {
  console.log('There is no tagged release yet, so nothing can run beside this version.');
  process.exit();
}

const folder = mkdtempSync(join(tmpdir(), 'tallyhook-release-'));
try {
  execFileSync('tar', ['-x', '-C', folder], {
    input: git('archive', tag, 'package.json', 'src', 'commands', 'config', 'locales'),
  });
  requireInstalledPackages();
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  console.log(`${tag} runs beside this version.`);
  const { status } = spawnSync('npx', ['vitest', 'run', '--project', 'full:bot', 'test/flows/side-by-side'], {
    ...{ cwd: repository, stdio: 'inherit' },
    env: { ...process.env, TALLYHOOK_LAST_RELEASE: folder },
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Throws if the release needs another major version of a package than the one installed. */
function requireInstalledPackages(): void {
  for (const [name, range] of Object.entries(readPackage(folder).dependencies ?? {})) {
    const installed = readPackage(join(repository, 'node_modules', name)).version;
    if (majorOf(installed) !== majorOf(range))
      throw new Error(`${tag} needs ${name} ${range}, but ${installed} is installed. Check out a commit that has it.`);
  }
}

function majorOf(version: string): string | undefined {
  return /\d+/.exec(version)?.[0];
}

function readPackage(directory: string) {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as {
    readonly version: string;
    readonly dependencies?: Readonly<Record<string, string>>;
  };
}
