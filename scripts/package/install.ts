import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publishedManifest } from '../manifest.ts';

/** An empty project of a user into which the packed package was installed. */
export interface InstalledPackage {
  /** The temporary folder of everything. */
  readonly folder: string;
  /** The project. */
  readonly project: string;
  /** The packed package. */
  readonly archive: string;
  /** The paths in the package. */
  readonly files: readonly string[];
  /** Runs a module of the project, with no other programs than Node and a shell; returns its output. */
  run(...args: readonly string[]): string;
  /** The same for npm. */
  runNpm(...args: readonly string[]): string;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Packs the built project and installs it. The only programs available are Node and a shell: no compiler, no make, no
 * Python.
 * @param npm the path of npm's program
 */
export function installPackage(npm: string): InstalledPackage {
  const folder = mkdtempSync(join(tmpdir(), 'tallyhook-package-'));
  const project = join(folder, 'project');
  const bin = join(folder, 'bin');
  for (const path of [project, bin]) mkdirSync(path);
  symlinkSync(process.execPath, join(bin, 'node'));
  symlinkSync('/bin/sh', join(bin, 'sh'));
  const run = (...args: readonly string[]) =>
    execFileSync(process.execPath, args, {
      cwd: project,
      encoding: 'utf8',
      env: { ...process.env, PATH: bin, NODE_ENV: '' },
    });

  const packed = pack(npm, folder);
  const archive = join(folder, packed.filename);
  // The declarations of a dependency of discord.js (@sapphire/shapeshift) do not compile with those of Node 26.
  const devDependencies = { '@types/node': '^24' };
  writeFileSync(join(project, 'package.json'), JSON.stringify({ type: 'module', private: true, devDependencies }));
  run(npm, 'install', '--foreground-scripts', '--no-audit', '--no-fund', archive);
  const files = packed.files.map(({ path }: { path: string }) => path);
  return { folder, project, archive, files, run, runNpm: (...args) => run(npm, ...args) };
}

/** What `npm pack` writes, without another build: of a copy, because other programs read package.json meanwhile. */
function pack(npm: string, folder: string) {
  const copy = join(folder, 'packed');
  mkdirSync(copy);
  const manifest = publishedManifest(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const path of [...manifest.files, 'README.md', 'LICENSE'])
    cpSync(join(root, path), join(copy, path), { recursive: true });
  writeFileSync(join(copy, 'package.json'), JSON.stringify(manifest));
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [packed] = JSON.parse(execFileSync(process.execPath, [npm, ...args], { cwd: copy, encoding: 'utf8' }));
  return packed;
}
