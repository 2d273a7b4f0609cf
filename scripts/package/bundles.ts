import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { botToken } from '../../test/support/bot-token.ts';
import type { InstalledPackage } from './install.ts';

const run = promisify(execFile);

/** `tallyhook/verify` for a browser, in one file, minified (bytes). */
const maxBrowserBytes = 25_000;

const vote = `
const secret = 'secret of the vote webhook';
const body = JSON.stringify({ event: 'server_vote', userId: '42', serverId: '1' });
`;

/** Programs, each bundled with everything that it imports, and run. */
const programs: Readonly<Record<string, string>> = {
  verify: `import { sign, verify } from 'tallyhook/verify';${vote}
const headers = { 'x-webhook-signature': await sign(body, secret) };
const { userId } = await verify(new Request('http://127.0.0.1/', { method: 'POST', headers, body }), secret);
if (userId !== '42') throw new Error(userId);
const voteAtSite = { type: 'upvote', user: '123456789012345678', bot: '1' };
const request = { headers: { authorization: secret }, body: voteAtSite };
console.log(await verify(request, { site: 'topgg', secrets: secret }).then(({ type }) => type, ({ code }) => code));`,

  client: `import { createLookup } from 'tallyhook/client';
const lookup = createLookup({ kind: 'server', baseUrl: 'http://127.0.0.1:1/api/v1', key: 'key' });
const error = await lookup.profile().catch((error) => error);
if (error.code !== 'lookup_unreachable') throw error;`,

  receiver: `import { createReceiver } from 'tallyhook/receiver';
import { sign } from 'tallyhook/verify';${vote}
const voted = Promise.withResolvers();
const listings = [{ name: 'server', kind: 'server', voteSecrets: [secret] }];
const receiver = await createReceiver({ listings, database: ':memory:', port: 0, handlers: { onVote: voted.resolve } });
const headers = { 'x-webhook-signature': await sign(body, secret) };
await fetch(await receiver.start() + '/webhooks/vote', { method: 'POST', headers, body });
await voted.promise;
await receiver.stop();`,

  root: `import { sign, TallyhookError } from 'tallyhook';
import { markup } from 'tallyhook/discord';
if (!(await sign('body', 'secret')) || String(markup\`votes\`) !== 'votes' || !TallyhookError) throw new Error();`,

  app: `import { createApp } from 'tallyhook';
const lookup = { baseUrl: 'http://127.0.0.1:1/api/v1' };
const listings = [{ name: 'server', kind: 'server', id: '1', lookupKey: 'key', voteSecrets: ['secret'] }];
const log = { debug() {}, info() {}, warn() {}, error() {} };
const app = await createApp({ token: '${botToken}', lookup, listings, database: ':memory:', log });
await app.stop();`,

  sandbox: `import { startLocalDiscord } from 'tallyhook/sandbox';
const discord = await startLocalDiscord();
if ((await fetch(discord.apiUrl + '/v10/gateway')).status !== 200) throw new Error();
await discord.stop();`,
};

/** These call require() for parts of Node, which an ES module of esbuild cannot: they have to be installed. */
const commonJs = ['discord.js', '@discordjs/*', 'express', 'ws'];
const externals: Readonly<Record<string, readonly string[]>> = { app: commonJs, sandbox: commonJs };

/** What minified bundles may have, because the bot, or all but the receiver, is not in them (bytes). */
const maxBytes: Readonly<Record<string, number>> = { root: 10_000, receiver: 1_100_000 };

/**
 * Bundles a program per entry with esbuild, as ES module and CommonJS, and the receiver with webpack, and runs it.
 */
export async function checkBundles({ folder, project, runNpm }: InstalledPackage): Promise<string> {
  const tools = join(folder, 'esbuild');
  mkdirSync(tools);
  runNpm('install', '--prefix', tools, '--no-audit', '--no-fund', '--ignore-scripts', 'esbuild@^0.28.2');
  const { build } = await import(pathToFileURL(join(tools, 'node_modules', 'esbuild', 'lib', 'main.js')).href);
  // Where discord.js is found, beside the project.
  const target = join(project, 'bundles');
  mkdirSync(target);
  const lines = Object.entries(programs).flatMap(([name, code]) =>
    [
      { format: 'esm', extension: 'mjs' },
      { format: 'cjs', extension: 'cjs' },
    ].map(async ({ format, extension }) => {
      const outfile = join(target, `${name}.${extension}`);
      const contents = format === 'esm' ? code : inFunction(code);
      const stdin = { contents, resolveDir: project };
      const options = {
        stdin,
        bundle: true,
        minify: true,
        platform: 'node',
        format,
        external: externals[name] ?? [],
        logLevel: 'silent',
      };
      await build({ ...options, outfile });
      const { size } = statSync(outfile);
      assert(size <= (maxBytes[name] ?? size), `${name} as ${format} has ${size} bytes: the bot is in it`);
      await run(process.execPath, [outfile], { cwd: folder, timeout: 60_000 });
      return `${name} ${size}`;
    }),
  );
  const sizes = await Promise.all(lines);
  const size = await checkVerify(build, target);
  await checkWebpack(tools, target, runNpm);
  return `bundles run (bytes): ${sizes.join(', ')}, verify for a browser ${size}; webpack bundles the receiver`;
}

/** Bundles the receiver with webpack, without any plugin. */
async function checkWebpack(tools: string, folder: string, runNpm: InstalledPackage['runNpm']): Promise<void> {
  runNpm('install', '--prefix', tools, '--no-audit', '--no-fund', '--ignore-scripts', 'webpack@^5.101.0');
  const { default: webpack } = await import(pathToFileURL(join(tools, 'node_modules/webpack/lib/index.js')).href);
  const entry = join(folder, 'receiver-for-webpack.mjs');
  writeFileSync(entry, programs['receiver'] ?? '');
  const output = { path: join(folder, 'webpack'), filename: 'receiver.mjs', module: true, chunkFormat: 'module' };
  const options = { mode: 'production', target: 'node22', experiments: { outputModule: true }, entry, output };
  const stats = await promisify<{ toString(preset: string): string }>((use) => webpack(options, use))();
  assert.match(stats.toString('errors-warnings'), /^webpack \S* ?compiled successfully/);
  await run(process.execPath, [join(output.path, output.filename)], { cwd: folder, timeout: 60_000 });
}

/** What `verify` says of a vote on another site, by esbuild's platform and conditions; wrangler, too, bundles for a browser. */
const votesAtSite: ReadonlyArray<readonly [outcome: string, platform: string, ...conditions: string[]]> = [
  ['vote', 'node'],
  ['vote', 'neutral'],
  ['vote', 'browser', 'workerd', 'worker', 'browser'],
  ['sites_not_bundled', 'browser'],
];

/** Bundles `tallyhook/verify` in one file per platform, and uses it. Returns the size of the last, for a browser (bytes). */
async function checkVerify(build: (options: object) => Promise<unknown>, folder: string): Promise<number> {
  const stdin = { contents: `export * from 'tallyhook/verify';`, resolveDir: folder };
  const outfile = join(folder, 'verify-alone.mjs');
  const user = join(folder, 'use-verify.mjs');
  writeFileSync(user, programs['verify']?.replace('tallyhook/verify', './verify-alone.mjs') ?? '');
  for (const [outcome, platform, ...conditions] of votesAtSite) {
    await build({ stdin, bundle: true, platform, conditions, format: 'esm', minify: true, outfile });
    const { stdout } = await run(process.execPath, [user], { timeout: 60_000 });
    assert.equal(stdout.trim(), outcome, `other sites for ${[platform, ...conditions].join(', ')}`);
  }
  const { size } = statSync(outfile);
  assert(size <= maxBrowserBytes, `verify for a browser has ${size} bytes, more than ${maxBrowserBytes}`);
  return size;
}

/** CommonJS has no await outside of functions. */
function inFunction(code: string): string {
  const imports = code.match(/^import .*$/gm) ?? [];
  const rest = code.replace(/^import .*$/gm, '');
  return `${imports.join('\n')}\n(async () => {${rest}\n})();`;
}
