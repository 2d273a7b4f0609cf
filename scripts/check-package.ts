/**
 * Packs the built project, installs it into an empty folder without a compiler, and uses it. Needs the registry, so it is
 * not a test: `npm run build && npm run test:package`.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A user's program: opens both kinds of cache, and fails if an adapter cannot be loaded. */
const use = `
import { createApp, createLog, loadConfig, systemClock } from 'tallyhook';
import 'tallyhook/sandbox';

const settings = {
  DISCORD_TOKEN: 'none', LOOKUP_BASE_URL: 'http://127.0.0.1:9/api/v1', LOOKUP_SERVER_KEY: 'none', DATABASE_URL: 'sqlite:tally.db',
};
const lines = [];
const log = createLog({ level: 'warn', secrets: [], destination: { write: (line) => lines.push(line) } });
for (const CACHE_URL of ['sqlite:cache.db', 'redis://127.0.0.1:9']) {
  const app = await createApp(loadConfig({ ...settings, CACHE_URL }), { clock: systemClock, log });
  await app.stop();
}
if (lines.length > 0) throw new Error(lines.join(''));
`;

/** Draws a picture with the package's module and its fonts. */
const draw = `
import { createDraw } from './node_modules/tallyhook/dist/src/drawing/draw.js';

const fail = (fields, message) => { throw new Error(message + JSON.stringify(fields)); };
const root = { type: 'text', style: { fontFamily: 'Inter' }, text: 'votes' };
const picture = await createDraw({ log: { warn: fail } })(() => ({ width: 90, height: 45, root }), 1);
if (picture.length < 200) throw new Error('The picture is empty.');
`;

const npm = process.env['npm_execpath'];
assert(npm !== undefined, 'Run it by npm: npm run test:package.');

const folder = mkdtempSync(join(tmpdir(), 'tallyhook-package-'));
const project = join(folder, 'project');
const bin = join(folder, 'bin');
try {
  for (const path of [project, bin]) mkdirSync(path);
  // The only programs available during the installation: no compiler, no make, no Python.
  symlinkSync(process.execPath, join(bin, 'node'));
  symlinkSync('/bin/sh', join(bin, 'sh'));
  const run = (command: string, args: readonly string[], cwd = project) =>
    execFileSync(command, args, { cwd, encoding: 'utf8', env: { ...process.env, PATH: bin, NODE_ENV: '' } });
  const runNpm = (...args: string[]) => run(process.execPath, [npm, ...args]);

  const [packed] = JSON.parse(
    execFileSync(process.execPath, [npm, 'pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      encoding: 'utf8',
    }),
  );
  assert(
    packed.files.some(({ path }: { path: string }) => path === '.env.example'),
    '.env.example is not in it',
  );

  writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }');
  runNpm('install', '--foreground-scripts', '--no-audit', '--no-fund', join(folder, packed.filename));
  const { packages } = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'));
  const installed: [string, { version?: string; hasInstallScript?: boolean }][] = Object.entries(packages);
  // The package that draws pictures is optional, and comes compiled.
  const compiled = globSync('**/*.node', { cwd: project }).filter((path) => !path.includes('@takumi-rs'));
  assert(compiled.length === 0, `native code was installed: ${compiled.join(', ')}`);
  const scripts = installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path);
  assert(scripts.length === 0, `packages run scripts when they are installed: ${scripts.join(', ')}`);
  const early = installed.filter(([, { version }]) => version?.includes('-')).map(([path]) => path);
  assert(early.length === 0, `pre-releases are installed: ${early.join(', ')}`);

  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const reportedVersion = runNpm('exec', '--no', '--', 'tallyhook', '--version').trim();
  assert(reportedVersion === version, `tallyhook --version says "${reportedVersion}"`);

  writeFileSync(join(project, 'use.js'), use);
  run(process.execPath, ['use.js']);
  writeFileSync(join(project, 'draw.js'), draw);
  run(process.execPath, ['draw.js']);
  assert(statSync(join(project, 'cache.db')).size > 0, 'the cache in a file is not used');

  const megabytes = globSync('node_modules/**', { cwd: project, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
  console.log(`${installed.length - 1} packages, ${Math.round(megabytes / 1_000_000)} MB, nothing compiled`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
