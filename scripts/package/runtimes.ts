import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { InstalledPackage } from './install.ts';

/** The oldest and the newest supported Node; everything else runs on the one of the project. */
const versions = ['22.18.0', '26'];

/** A program with every entry, also by require(): a vote, a lookup and a command. */
const useAll = `
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { Client, Events, GatewayIntentBits } from 'discord.js';
import { createApp } from 'tallyhook';
import { createLookup } from 'tallyhook/client';
import { markup } from 'tallyhook/discord';
import { createReceiver } from 'tallyhook/receiver';
import { startLocalDiscord, startService } from 'tallyhook/sandbox';
import { verify } from 'tallyhook/verify';

const require = createRequire(import.meta.url);
for (const name of ['', '/client', '/discord', '/receiver', '/sandbox', '/verify']) require('tallyhook' + name);
assert.equal(typeof createApp, 'function');
assert.equal(String(markup\`votes\`), 'votes');

const service = await startService({ allowLoopbackTargets: true });
const { listing, key } = await service.createListing({ kind: 'server', discordId: '1', name: 'Harbour' });
const voteSecret = 'secret of the vote webhook';
let handled;
const vote = new Promise((resolve) => { handled = resolve; });
const listings = [{ name: 'harbour', kind: 'server', voteSecrets: [voteSecret] }];
const receiver = await createReceiver({ listings, database: ':memory:', port: 0, handlers: { onVote: handled } });
await service.setWebhook(listing.id, { voteUrl: await receiver.start() + '/webhooks/vote', voteSecret });
await service.castVote({ listingId: listing.id, userId: '42', username: 'mira' });
assert.equal((await vote).userId, '42');
await receiver.stop();
const lookup = createLookup({ kind: 'server', baseUrl: service.url + '/api/v1', key });
assert.equal((await lookup.profile()).value.name, 'Harbour');
await assert.rejects(verify(new Request(service.url, { method: 'POST', body: '{}' }), voteSecret), { code: /^webhook_/ });
await service.stop();

const discord = await startLocalDiscord();
const bot = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: discord.apiUrl } });
bot.on(Events.InteractionCreate, (interaction) => interaction.reply('Pong!'));
const ready = new Promise((resolve) => bot.once(Events.ClientReady, resolve));
await bot.login(discord.token);
await ready;
await bot.application.commands.create({ name: 'ping', description: 'Replies' }, discord.guildId);
const [{ id: userId }] = discord.members;
const used = discord.runCommand({ name: 'ping', userId, channelId: discord.channels.general });
assert.equal((await used.settled).content, 'Pong!');
await bot.destroy();
await discord.stop();
`;

/** What the receiver runs on beside Node: how npm's package of the runtime is called, and its arguments. */
const others = { bun: ['run'], deno: ['run', '--allow-all', '--node-modules-dir=manual'] };

/** Receives votes on other runtimes than Node. */
export async function checkOtherRuntimes({ folder, project, runNpm }: InstalledPackage): Promise<string> {
  const source = readFileSync(new URL('./receive-anywhere.ts', import.meta.url), 'utf8');
  const program = join(project, 'receive-anywhere.ts');
  writeFileSync(
    program,
    source.replaceAll(/'[./]+src\/exports\/(\w+)\.ts'/g, "'tallyhook/$1'").replaceAll('../../examples/', './examples/'),
  );
  const example = 'examples/receiver-in-your-framework';
  cpSync(new URL(`../../${example}`, import.meta.url), join(project, example), { recursive: true });
  const prefix = join(folder, 'runtimes');
  mkdirSync(prefix);
  runNpm('install', '--prefix', prefix, '--no-audit', '--no-fund', ...Object.keys(others));
  const checks = Object.entries(others).map(async ([name, args]) => {
    const command = join(prefix, 'node_modules', '.bin', name);
    const { stdout } = await promisify(execFile)(command, [...args, program], { cwd: project, timeout: 60_000 });
    const expected = {
      outcomes: ['200 recorded', '200 duplicate', '200 duplicate', '200 recorded'],
      call: '42 +10',
      credits: 10,
    };
    assert.deepEqual(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''), expected, name);
    return name;
  });
  return `a receiver and its example run on ${(await Promise.all(checks)).join(' and ')}`;
}

/** Uses every entry and the command line on other versions of Node, which npm's packages of Node have. */
export async function checkRuntimes({ folder, project, runNpm }: InstalledPackage): Promise<string> {
  const program = join(project, 'use-all.js');
  const launcher = join(project, 'node_modules', 'tallyhook', 'dist', 'package', 'launch.js');
  writeFileSync(program, useAll);
  const checks = versions.map(async (version) => {
    const prefix = join(folder, `node-${version}`);
    mkdirSync(prefix);
    const name = `node-${process.platform}-${process.arch}`;
    runNpm('install', '--prefix', prefix, '--no-audit', '--no-fund', '--ignore-scripts', `${name}@${version}`);
    const node = join(prefix, 'node_modules', name, 'bin', 'node');
    const actual = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
    assert(actual.startsWith(`v${version}`), `Node ${actual} was installed, not ${version}`);
    const run = promisify(execFile);
    await run(node, [program], { cwd: project, timeout: 60_000 });
    await run(node, [launcher, 'start', '--help'], { cwd: project, timeout: 60_000 });
    return actual;
  });
  return `every entry and the command line run on ${(await Promise.all(checks)).join(' and ')}`;
}
