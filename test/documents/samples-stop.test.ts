import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sign } from '../../src/webhook/signature.ts';
import { voteSecret } from '../support/listings.ts';
import { localDiscord } from '../support/local-discord.ts';
import { settings } from '../support/settings.ts';
import { tempDir } from '../support/temp-dir.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const preload = fileURLToPath(new URL('../support/sample-preload.mjs', import.meta.url));
/** For a machine under load; an idle one takes less than a second. */
const stopTimeoutMs = 30_000;

/** The first TypeScript block below a heading of a document. */
function blockOf(path: string, heading: string): string {
  const [, section = ''] = readFileSync(join(root, path), 'utf8').split(`\n## ${heading}\n`);
  return /```ts\n(.*?)```/s.exec(section)?.[1] ?? '';
}

/** The example in the docstring of a function. */
function exampleOf(path: string, name: string): string {
  const [before = ''] = readFileSync(join(root, path), 'utf8').split(`export async function ${name}(`);
  const [, block = ''] = /```ts\n(.*)```/s.exec(before.slice(before.lastIndexOf('/**'))) ?? [];
  return block.replace(/^ \* ?/gm, '');
}

const mainOf = (name: string) => readFileSync(join(root, 'examples', name, 'main.ts'), 'utf8');

/** The samples that stop on SIGTERM, by where they are. */
const samples: readonly (readonly [string, string])[] = [
  ['docs/library.md, in Express', blockOf('docs/library.md', 'In your own Express app')],
  ['docs/receiver.md', blockOf('docs/receiver.md', 'The receiver')],
  ['the docstring of createApp', exampleOf('src/app/app.ts', 'createApp')],
  ...['own-bot', 'custom-command', 'custom-reward', 'receiver-only', 'several-communities'].map(
    (name) => [`examples/${name}`, mainOf(name)] as const,
  ),
];

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
    env: { PATH: process.env['PATH'] ?? '', HOST: '127.0.0.1', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return { child, output: () => Buffer.concat(chunks).toString() };
}

describe('a sample, run as written,', { timeout: 180_000 }, () => {
  it.each(samples)('acknowledges a vote and ends after SIGTERM: %s', async (_name, code) => {
    expect(code).toContain("process.once('SIGTERM'");
    const discord = await localDiscord();
    const listings = code.includes('listings.json');
    const { VOTE_WEBHOOK_SECRET, PREMIUM_WEBHOOK_SECRET, LOOKUP_SERVER_KEY, ...others } = settings(discord);
    const ofListing = { VOTE_WEBHOOK_SECRET, PREMIUM_WEBHOOK_SECRET, LOOKUP_SERVER_KEY } as Record<string, string>;
    const { child, output } = runSample(code, {
      ...{ ...others, ...(listings ? {} : ofListing) },
      ...{ DATABASE_URL: 'sqlite:tally.db', CACHE_URL: 'memory:', DISCORD_GUILD_ID: discord.guildId },
      ...{ VOTE_SECRET: voteSecret, SUPPORTER_ROLE_ID: discord.roles.regular },
    });
    await expect.poll(output, { timeout: 60_000 }).toMatch(/listening on port \d+/);
    const port = /listening on port (\d+)/.exec(output())?.[1];
    const secret = listings ? 'secret-of-the-harbour' : voteSecret;
    const body = JSON.stringify({ event: 'server_vote', userId: '42', timestamp: new Date().toISOString() });
    const response = await fetch(`http://127.0.0.1:${port}/webhooks/${listings ? 'harbour' : 'vote'}`, {
      ...{ method: 'POST', body },
      headers: { 'x-webhook-signature': sign(body, secret) },
    });
    expect([response.status, await response.json()]).toMatchObject([200, { outcome: 'recorded' }]);

    const ended = once(child, 'exit', { signal: AbortSignal.timeout(stopTimeoutMs) });
    child.kill('SIGTERM');
    expect(await ended, output()).toEqual([0, null]);
  });
});
