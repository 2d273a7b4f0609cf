import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hour } from '@tallyhook/platform/durations';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { testCache } from '@tallyhook/platform/testing/test-cache';
import { expect, onTestFinished } from 'vitest';
import { sign } from '../../src/webhook/signature.ts';
import { signDelivery } from '../../src/webhook/sites/authenticate.ts';
import { topgg } from '../../src/webhook/sites/index.ts';
import { voteSecret } from '../support/listings.ts';
import { localDiscord } from '../support/local-discord.ts';
import { settings } from '../support/settings.ts';

export const root = fileURLToPath(new URL('../../', import.meta.url));
/** What Node has compiled of the sources, for the next sample. */
const compiled = join(testCache, 'samples');
const preload = fileURLToPath(new URL('../support/sample-preload.mjs', import.meta.url));

/** The first TypeScript block below a heading of a document. */
export function blockOf(path: string, heading: string): string {
  const [, section = ''] = readFileSync(join(root, path), 'utf8').split(`\n## ${heading}\n`);
  return /```ts\n(.*?)```/s.exec(section)?.[1] ?? '';
}

export const handlesSigterm = "process.once('SIGTERM'";

interface Running {
  readonly child: ChildProcess;
  readonly output: () => string;
}

/** Runs a program as written in a folder of its own, with the packages of this one. */
function runSample(code: string, environment: Record<string, string>): Running {
  const directory = tempDir();
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  writeFileSync(
    join(directory, 'listings.json'),
    readFileSync(join(root, 'examples/several-communities/listings.json')),
  );
  const path = join(directory, 'main.mts');
  writeFileSync(path, code);
  const child = spawn(process.execPath, ['--import', preload, path], {
    cwd: directory,
    env: { PATH: process.env['PATH'] ?? '', HOST: '127.0.0.1', NODE_COMPILE_CACHE: compiled, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return { child, output: () => Buffer.concat(chunks).toString() };
}

/** The variables of a sample that reads them. */
async function environmentOf(code: string): Promise<Record<string, string>> {
  const discord = await localDiscord();
  const { VOTE_WEBHOOK_SECRET, PREMIUM_WEBHOOK_SECRET, LOOKUP_SERVER_KEY, ...others } = settings(discord);
  const ofListing = { VOTE_WEBHOOK_SECRET, PREMIUM_WEBHOOK_SECRET, LOOKUP_SERVER_KEY } as Record<string, string>;
  return {
    ...{ ...others, ...(code.includes('listings.json') ? {} : ofListing) },
    ...{ DATABASE_URL: 'sqlite:tally.db', CACHE_URL: 'memory:', DISCORD_GUILD_ID: discord.guildId },
    ...{ VOTE_SECRET: voteSecret, TOPGG_SECRET: voteSecret, SUPPORTER_ROLE_ID: discord.roles.regular },
  };
}

/** Runs a sample and expects that it comes to its last line. @param environment more variables */
export async function expectToFinish(code: string, environment: Record<string, string> = {}): Promise<void> {
  const all = { ...(await environmentOf(code)), ...environment };
  const { child, output } = runSample(`${code}\nprocess.stdout.write('the last line\\n');\n`, all);
  const finished = expect.poll(output, { timeout: 120_000 }).toContain('the last line\n');
  const ended = once(child, 'exit').then(() => expect(output()).toContain('the last line\n'));
  await Promise.race([finished, ended]);
}

/**
 * Runs a sample, sends it a delivery as top.gg does once it listens, and expects that it is recorded.
 * @returns what the sample prints
 */
export async function voteOnTopgg(code: string, { path, userId }: { path: string; userId: string }) {
  const { output } = runSample(code, { TOPGG_SECRET: voteSecret });
  await expect.poll(output, { timeout: 120_000 }).toMatch(/listening on port \d+/);
  const at = new Date().toISOString();
  const content = {
    type: 'vote.create',
    data: {
      ...{ id: '808499215864008704', weight: 1, created_at: at, expires_at: new Date(Date.now() + 12 * hour) },
      project: { id: '803190510032756736', type: 'bot', platform: 'discord', platform_id: '716390085896962058' },
      user: { id: '160105994217586689', platform_id: userId, name: 'ayse' },
    },
  };
  const { headers, body } = signDelivery(topgg.schemes[0], JSON.stringify(content), voteSecret, Date.now());
  const address = `http://127.0.0.1:${/listening on port (\d+)/.exec(output())?.[1]}${path}`;
  const response = await fetch(address, { method: 'POST', headers, body });
  expect([response.status, await response.json()]).toMatchObject([200, { outcome: 'recorded' }]);
  return output;
}

/** Runs a sample, votes, and expects that it ends after SIGTERM. */
export async function expectToStop(code: string): Promise<void> {
  expect(code).toContain(handlesSigterm);
  const listings = code.includes('listings.json');
  const { child, output } = runSample(code, await environmentOf(code));
  await expect.poll(output, { timeout: 120_000 }).toMatch(/listening on port \d+/);
  const port = /listening on port (\d+)/.exec(output())?.[1];
  const secret = listings ? 'secret-of-the-harbour' : voteSecret;
  const body = JSON.stringify({ event: 'server_vote', userId: '42', timestamp: new Date().toISOString() });
  const response = await fetch(`http://127.0.0.1:${port}/webhooks/${listings ? 'harbour' : 'vote'}`, {
    ...{ method: 'POST', body },
    headers: { 'x-webhook-signature': sign(body, secret) },
  });
  expect([response.status, await response.json()]).toMatchObject([200, { outcome: 'recorded' }]);

  await expect.poll(output, { timeout: 120_000 }).toContain('handles SIGTERM');
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended, output()).toEqual([0, null]);
}
