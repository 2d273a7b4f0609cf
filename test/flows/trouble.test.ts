import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { startLocalDiscord } from '../../src/sandbox/discord/local-discord.ts';
import { openStore } from '../../src/store/store.ts';
import { createSender } from '../support/sender.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';
import { type Program, startProgram } from '../support/start-program.ts';
import { tempDir } from '../support/temp-dir.ts';

const waitOptions = { timeout: 30_000, interval: 100 };

/**
 * Limits the size of the process's files: to SQLite this is a full disk, and with 0 a disk that rejects every write. A
 * soft limit needs no privilege and can be removed.
 */
function limitFileSize(running: Program, bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(running.process.pid), `--fsize=${bytes}:`]);
}

async function readStoreStatus(url: string): Promise<{ status: number; ready: boolean }> {
  const response = await fetch(`${url}/readyz`);
  const { parts } = (await response.json()) as { parts: { store: { ready: boolean } } };
  return { status: response.status, ready: parts.store.ready };
}

/** Starts a program and sends votes to it. Records which votes it acknowledged. */
async function startReceiver() {
  const directory = tempDir();
  const running = startProgram(
    ['start'],
    settings({ ...unreachableDiscord, channels: { announcements: '1', premium: '1' } }),
    directory,
  );
  const url = await running.url();
  const { send } = createSender(32);
  const acknowledged: string[] = [];
  let user = 0;

  /** Sends votes concurrently and returns the statuses. Checks that each 503 has a Retry-After. */
  async function vote(count: number): Promise<number[]> {
    return Promise.all(
      Array.from({ length: count }, async () => {
        user += 1;
        const userId = String(user);
        const timestamp = new Date().toISOString();
        const body = JSON.stringify({ event: 'server_vote', userId, timestamp });
        const response = await send(url, { family: 'vote', body });
        if (response?.status === 503) expect(response.retryAfter).toBeGreaterThan(0);
        if (response?.status === 200) acknowledged.push(userId);
        return response?.status ?? 0;
      }),
    );
  }

  /** Stops the program and checks that all acknowledged votes are stored and the totals agree. */
  async function verifyLedger(): Promise<void> {
    running.process.kill('SIGTERM');
    expect(await running.ended).toBe(0);
    const store = await openStore(`sqlite:${join(directory, 'data', 'tallyhook.db')}`, systemClock);
    for (const userId of acknowledged) expect(await store.ledger.account(userId)).toMatchObject({ credits: 10 });
    const { credits, votes } = await store.records.counts();
    expect(credits).toBe(10 * votes);
    await store.close();
  }

  const file = join(directory, 'data', 'tallyhook.db');
  return { running, url, file, vote, verifyLedger };
}

describe('a database that cannot be written', { timeout: 60_000 }, () => {
  it.each(['is full', 'rejects all writes'] as const)(
    'because its disk %s: responds with 503, /readyz reports it, and the program recovers automatically',
    async (state) => {
      const { running, url, file, vote, verifyLedger } = await startReceiver();
      expect(new Set(await vote(50))).toEqual(new Set([200]));

      limitFileSize(running, state === 'is full' ? statSync(`${file}-wal`).size + 20_000 : 0);
      await vi.waitFor(async () => expect(await vote(20)).toContain(503), waitOptions);
      expect(await readStoreStatus(url)).toEqual({ status: 503, ready: false });
      expect(new Set(await vote(20))).toEqual(new Set([503]));
      expect((await fetch(`${url}/healthz`)).status).toBe(200);

      limitFileSize(running, 'unlimited');
      const isReady = async () => expect(await readStoreStatus(url)).toMatchObject({ ready: true });
      // It recovers with the next delivery, and without one.
      if (state === 'rejects all writes') await vi.waitFor(isReady, waitOptions);
      expect(new Set(await vote(20))).toEqual(new Set([200]));
      await isReady();
      await verifyLedger();
    },
  );

  it('because another program has locked it: behaves the same', async () => {
    const { url, file, vote, verifyLedger } = await startReceiver();
    const other = new DatabaseSync(file, { timeout: 30_000 });
    other.exec('BEGIN IMMEDIATE');
    const [statuses, storeStatus] = await Promise.all([vote(32), readStoreStatus(url)]);
    expect(new Set(statuses)).toEqual(new Set([503]));
    expect(storeStatus).toEqual({ status: 503, ready: false });
    other.exec('ROLLBACK');
    other.close();
    expect(new Set(await vote(20))).toEqual(new Set([200]));
    expect(await readStoreStatus(url)).toMatchObject({ ready: true });
    await verifyLedger();
  });

  it('because its directory is read-only: the program exits with a hint', async () => {
    const directory = tempDir();
    const data = join(directory, 'data');
    mkdirSync(data);
    chmodSync(data, 0o555);
    onTestFinished(() => chmodSync(data, 0o755));
    // Without this capability, permissions apply to root, too.
    const dropPrivileges =
      process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override', '--inh-caps=-dac_override'] : [];
    const running = startProgram(
      ['start'],
      { ...settings(unreachableDiscord), CACHE_URL: 'memory:' },
      directory,
      dropPrivileges,
    );
    expect(await running.ended).toBe(1);
    expect(running.output()).toContain('chown -R');
  });
});

describe('a slash command while the database is locked', { timeout: 60_000 }, () => {
  it('reports the failure, and responds as usual if the data is known', async () => {
    const discord = await startLocalDiscord();
    onTestFinished(() => discord.stop());
    const directory = tempDir();
    const running = startProgram(['start'], settings(discord), directory);
    const url = await running.url();
    await vi.waitFor(() => expect(discord.commands()).not.toEqual([]), waitOptions);
    const { send } = createSender(1);
    const [voter, stranger] = discord.members;
    const timestamp = new Date().toISOString();
    const body = JSON.stringify({ event: 'server_vote', userId: voter?.id, timestamp });
    expect(await send(url, { family: 'vote', body })).toMatchObject({ status: 200 });
    await vi.waitFor(() => expect(discord.messages(discord.channels.announcements)).toHaveLength(1), waitOptions);

    const other = new DatabaseSync(join(directory, 'data', 'tallyhook.db'), { timeout: 30_000 });
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    const runCanVote = async (userId = '') => {
      const use = { name: 'canvote', options: {}, userId, channelId: discord.channels.general };
      return JSON.stringify((await discord.runCommand(use).settled).embeds);
    };
    expect(await runCanVote(voter?.id)).toContain('can vote for');
    const text = await runCanVote(stranger?.id);
    expect(text).toContain('The bot has a temporary problem');
    expect(text).toMatch(/Please try again <t:\d+:R>/);
  });
});
