import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { InstalledPackage } from './install.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const names = ['local-discord', 'listing-service'];

/** The first program of the README of local-discord, with the assertion of Node. */
const ping = `
import assert from 'node:assert/strict';
import { Client, Events, GatewayIntentBits, SlashCommandBuilder } from 'discord.js';
import { createTestBot } from 'local-discord';

const client = new Client({ intents: [GatewayIntentBits.Guilds] });
client.on(Events.InteractionCreate, (interaction) => void interaction.reply('Pong!'));
const commands = [new SlashCommandBuilder().setName('ping').setDescription('Replies with Pong!')];
const bot = await createTestBot(client, { commands });
assert.equal((await bot.member().run('/ping')).text, 'Pong!');
await bot.stop();
`;

const types = `
import { createTestBot, startLocalDiscord, type LocalDiscord, type TestBot } from 'local-discord';
import { startService, type RunningService } from 'listing-service';
export const started: readonly [Promise<LocalDiscord>, Promise<RunningService>] = [startLocalDiscord(), startService({ allowLoopbackTargets: true })];
export type { TestBot };
void createTestBot;
`;

/** Packs the packages beside tallyhook, installs them into a project without it, and runs what their READMEs say. */
export async function checkPublishedPackages({ folder, run }: InstalledPackage, npm: string): Promise<string> {
  execFileSync(process.execPath, [join(root, 'scripts', 'packages.ts')], { stdio: 'ignore' });
  const archives = names.map((name) => {
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
    const cwd = join(root, 'packages', name, 'dist');
    return join(
      folder,
      JSON.parse(execFileSync(process.execPath, [npm, ...args], { cwd, encoding: 'utf8' }))[0].filename,
    );
  });
  const project = join(folder, 'published');
  mkdirSync(project);
  const manifest = { type: 'module', private: true, devDependencies: { '@types/node': '^24' } };
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
  const inProject = { cwd: project, encoding: 'utf8' } as const;
  execFileSync(process.execPath, [npm, 'install', '--no-audit', '--no-fund', ...archives, 'discord.js'], inProject);
  for (const name of names) {
    const [bin, installed] = [join(project, 'node_modules', '.bin', name), join(project, 'node_modules', name)];
    assert(execFileSync(bin, ['--help'], inProject).startsWith(`Usage: ${name} `), `${name} --help`);
    await startAndStop(bin, project);
    assert(!run('-p', `require('fs').readdirSync('${installed}').join()`).includes('node_modules'));
  }
  writeFileSync(join(project, 'ping.js'), ping);
  execFileSync(process.execPath, ['ping.js'], inProject);
  writeFileSync(join(project, 'types.ts'), types);
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const strict = ['--strict', '--module', 'nodenext', '--target', 'es2024', '--types', 'node', '--noEmit'];
  execFileSync(process.execPath, [tsc, ...strict, 'types.ts'], { cwd: project, stdio: 'inherit' });
  return `${names.join(' and ')} are installed and run without tallyhook`;
}

/** Starts a program on a free port, waits until it prints where it is, and stops it as Ctrl+C does. */
async function startAndStop(bin: string, cwd: string): Promise<void> {
  const child = spawn(bin, ['--port', '0'], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)));
  const ended = once(child, 'exit');
  while (!output.includes('http://127.0.0.1:'))
    await Promise.race([
      once(child.stdout, 'data'),
      once(child.stderr, 'data'),
      ended.then(() => assert.fail(`${bin} ended:\n${output}`)),
    ]);
  child.kill('SIGINT');
  const [code] = await ended;
  assert.equal(code, 0, `${bin} ended with ${code}:\n${output}`);
}
