import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { startLocalDiscord } from '../../src/sandbox/discord/local-discord.ts';
import { openStore } from '../../src/store/store.ts';
import { type Program, program } from '../support/program.ts';
import { createSender } from '../support/sender.ts';
import { nowhere, settings } from '../support/settings.ts';
import { tempDir } from '../support/temp-dir.ts';

const patience = { timeout: 20_000, interval: 100 };

/**
 * No file of the process may grow beyond so many bytes: for SQLite a disk without room, and with 0 one that takes nothing at all. It is a
 * soft limit, so it needs no privilege and can be lifted again.
 */
function limitFiles(running: Program, bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(running.process.pid), `--fsize=${bytes}:`]);
}

async function storeOf(url: string): Promise<{ status: number; ready: boolean }> {
  const response = await fetch(`${url}/readyz`);
  const { parts } = (await response.json()) as { parts: { store: { ready: boolean } } };
  return { status: response.status, ready: parts.store.ready };
}

/** A program that receives, and votes for it; what it acknowledged is counted. */
async function receivingProgram() {
  const directory = tempDir();
  const running = program(
    ['start'],
    settings({ ...nowhere, channels: { announcements: '1', premium: '1' } }),
    directory,
  );
  const url = await running.url();
  const { send } = createSender(32);
  const acknowledged: string[] = [];
  let user = 0;

  /** Sends so many votes at once and returns each answer's status, having seen that none took 5 s and that each 503 says when to come back. */
  async function vote(count: number): Promise<number[]> {
    return Promise.all(
      Array.from({ length: count }, async () => {
        user += 1;
        const userId = String(user);
        const began = performance.now();
        const timestamp = new Date().toISOString();
        const body = JSON.stringify({ event: 'server_vote', userId, timestamp });
        const answer = await send(url, { family: 'vote', body });
        expect(performance.now() - began).toBeLessThan(5_000);
        if (answer?.status === 503) expect(answer.retryAfter).toBeGreaterThan(0);
        if (answer?.status === 200) acknowledged.push(userId);
        return answer?.status ?? 0;
      }),
    );
  }

  /** Stops it and sees that all that was acknowledged, and only what came, is there. */
  async function keptItsWord(): Promise<void> {
    running.process.kill('SIGTERM');
    expect(await running.ended).toBe(0);
    const store = await openStore(`sqlite:${join(directory, 'data', 'tallyhook.db')}`, systemClock);
    for (const userId of acknowledged) expect(await store.ledger.account(userId)).toMatchObject({ credits: 10 });
    const { credits, votes } = await store.records.counts();
    expect(credits).toBe(10 * votes);
    await store.close();
  }

  const file = join(directory, 'data', 'tallyhook.db');
  return { running, url, file, vote, keptItsWord };
}

describe('a database that cannot be written', { timeout: 60_000 }, () => {
  it.each(['has no room left', 'takes nothing any more'] as const)(
    'because its disk %s: senders are told to come back, /readyz names it, and it recovers by itself',
    async (how) => {
      const { running, url, file, vote, keptItsWord } = await receivingProgram();
      expect(new Set(await vote(50))).toEqual(new Set([200]));

      limitFiles(running, how === 'has no room left' ? statSync(`${file}-wal`).size + 20_000 : 0);
      await vi.waitFor(async () => expect(await vote(20)).toContain(503), patience);
      expect(await storeOf(url)).toEqual({ status: 503, ready: false });
      expect(new Set(await vote(20))).toEqual(new Set([503]));
      expect((await fetch(`${url}/healthz`)).status).toBe(200);

      limitFiles(running, 'unlimited');
      expect(new Set(await vote(20))).toEqual(new Set([200]));
      expect(await storeOf(url)).toMatchObject({ ready: true });
      await keptItsWord();
    },
  );

  it('is ready again soon after the trouble has ended, also when nothing comes', async () => {
    const { running, url, vote } = await receivingProgram();
    limitFiles(running, 0);
    expect(await vote(1)).toEqual([503]);
    limitFiles(running, 'unlimited');
    const ended = performance.now();
    await vi.waitFor(async () => expect(await storeOf(url)).toMatchObject({ ready: true }), patience);
    expect(performance.now() - ended).toBeLessThan(10_000);
  });

  it('because another program has locked it: the same', async () => {
    const { url, file, vote, keptItsWord } = await receivingProgram();
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    const [answers, health] = await Promise.all([vote(32), storeOf(url)]);
    expect(new Set(answers)).toEqual(new Set([503]));
    expect(health).toEqual({ status: 503, ready: false });
    other.exec('ROLLBACK');
    other.close();
    expect(new Set(await vote(20))).toEqual(new Set([200]));
    expect(await storeOf(url)).toMatchObject({ ready: true });
    await keptItsWord();
  });

  it('because its folder is read-only: the program does not start, and says what to check', async () => {
    const directory = tempDir();
    const data = join(directory, 'data');
    mkdirSync(data);
    chmodSync(data, 0o555);
    onTestFinished(() => chmodSync(data, 0o755));
    // Permissions bind even root once it has given up this privilege.
    const asAnybody =
      process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override', '--inh-caps=-dac_override'] : [];
    const running = program(['start'], { ...settings(nowhere), CACHE_URL: 'memory:' }, directory, asAnybody);
    expect(await running.ended).toBe(1);
    expect(running.output()).toContain('Check DATABASE_URL');
  });
});

describe('a slash command while the database is locked', { timeout: 60_000 }, () => {
  it('says what is true, and answers as ever from what is known', async () => {
    const discord = await startLocalDiscord();
    onTestFinished(() => discord.stop());
    const directory = tempDir();
    const running = program(['start'], settings(discord), directory);
    const url = await running.url();
    await vi.waitFor(() => expect(discord.commands()).not.toEqual([]), patience);
    const { send } = createSender(1);
    const [voter, stranger] = discord.members;
    const timestamp = new Date().toISOString();
    const body = JSON.stringify({ event: 'server_vote', userId: voter?.id, timestamp });
    expect(await send(url, { family: 'vote', body })).toMatchObject({ status: 200 });
    await vi.waitFor(() => expect(discord.messages(discord.channels.announcements)).toHaveLength(1), patience);

    const other = new DatabaseSync(join(directory, 'data', 'tallyhook.db'), { timeout: 5_000 });
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    const ask = async (userId = '') => {
      const use = { name: 'canvote', options: {}, userId, channelId: discord.channels.general };
      return JSON.stringify((await discord.runCommand(use).settled).embeds);
    };
    expect(await ask(voter?.id)).toContain('can vote for');
    const told = await ask(stranger?.id);
    expect(told).toContain('The bot has a temporary problem');
    expect(told).toMatch(/Please try again <t:\d+:R>/);
  });
});
