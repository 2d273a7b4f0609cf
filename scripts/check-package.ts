/**
 * Packs the built project, installs it into an empty folder without a compiler, and uses it as its users do. Needs the
 * registry, so it is not a test: `npm run build && npm run test:package`.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { botToken } from '../test/support/bot-token.ts';
import { checkBundles } from './package/bundles.ts';
import { checkConsumers } from './package/consumers.ts';
import { checkDependencies } from './package/dependencies.ts';
import { type InstalledPackage, installPackage } from './package/install.ts';
import { checkLoading } from './package/loading.ts';
import { checkPublishedPackages } from './package/published-packages.ts';
import { checkOtherRuntimes, checkRuntimes } from './package/runtimes.ts';

/** A user's program: opens both kinds of cache, and fails if an adapter cannot be loaded. */
const use = `
import { createApp, createLog, loadConfig, systemClock } from 'tallyhook';

const settings = {
  DISCORD_TOKEN: '${botToken}', LOOKUP_BASE_URL: 'http://127.0.0.1:9/api/v1', LOOKUP_SERVER_KEY: 'none', DATABASE_URL: 'sqlite:tally.db',
};
const lines = [];
const log = createLog({ level: 'warn', secrets: [], destination: { write: (line) => lines.push(line) } });
for (const CACHE_URL of ['sqlite:cache.db', 'redis://127.0.0.1:9']) {
  const app = await createApp(loadConfig({ ...settings, CACHE_URL }), { clock: systemClock, log });
  await app.stop();
}
if (lines.length > 0) throw new Error(lines.join(''));
`;

/** A vote and a command with a picture in the sandbox, with the installed discord.js. */
const play = `
import { startSandbox } from 'tallyhook/sandbox';

const { discord, service, clock, stop } = await startSandbox({ seed: 'none' });
const { id: userId, username } = discord.members[0];
await service.castVote({ kind: 'server', userId, username });
while (!discord.commands().some(({ name }) => name === 'stats')) await new Promise((resolve) => setTimeout(resolve, 20));
clock.advance(7 * 24 * 60 * 60 * 1000); // a picture begins a week after the first votes
const { embeds } = await discord.runCommand({ name: 'stats', userId, channelId: discord.channels.general }).settled;
await stop();
if (!embeds[0].image.url.endsWith('/votes.png')) throw new Error('no picture: ' + JSON.stringify(embeds));
`;

const npm = process.env['npm_execpath'];
assert(npm !== undefined, 'Run it by npm: npm run test:package.');

const installed = installPackage(npm);
const { folder, project, files, run, runNpm } = installed;
try {
  assert(files.includes('.env.example'), '.env.example is not in it');
  console.log(checkDependencies(installed));

  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const reportedVersion = runNpm('exec', '--no', '--', 'tallyhook', '--version').trim();
  assert(reportedVersion === version, `tallyhook --version says "${reportedVersion}"`);
  for (const [name, program] of Object.entries({ use, play })) {
    writeFileSync(join(project, `${name}.js`), program);
    run(`${name}.js`);
  }
  assert(statSync(join(project, 'cache.db')).size > 0, 'the cache in a file is not used');

  for (const check of [checkLoading, checkRuntimes, checkOtherRuntimes, checkBundles, checkConsumers, lintPackage])
    console.log(await check(installed));
  console.log(await checkPublishedPackages(installed, npm));
} finally {
  // A program that was stopped may still write there.
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}

/** publint and "Are the types wrong?" on the packed package. The package has ES modules only, which Node 24 can require. */
function lintPackage({ archive }: InstalledPackage): string {
  const run = (path: string, ...args: readonly string[]) =>
    execFileSync(process.execPath, [join(import.meta.dirname, path), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  run('../node_modules/publint/src/cli.js', archive, '--strict');
  run(
    'analysis/node_modules/@arethetypeswrong/cli/dist/index.js',
    archive,
    '--profile',
    'esm-only',
    '--format',
    'ascii',
  );
  return 'publint and attw report nothing';
}
