import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it, vi } from 'vitest';
import { settings, unreachableDiscord } from '../support/settings.ts';
import { startInstallation } from '../support/start-installation.ts';
import { type Program, startProgram } from '../support/start-program.ts';
import { createVoter } from '../support/voter.ts';

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

const silentDiscord = { ...unreachableDiscord, channels: { announcements: '1', premium: '1' } };

describe('a database that cannot be written', { timeout: 60_000 }, () => {
  it('because its disk is full or rejects all writes: responds with 503, /readyz reports it, and the program recovers automatically', async () => {
    const directory = tempDir();
    const running = startProgram(['start'], settings(silentDiscord), directory);
    const url = await running.url();
    const file = join(directory, 'data', 'tallyhook.db');
    const { vote, verifyLedger } = createVoter(() => url);
    for (const state of ['full', 'rejecting'] as const) {
      expect(new Set(await vote(50))).toEqual(new Set([200]));
      limitFileSize(running, state === 'full' ? statSync(`${file}-wal`).size + 20_000 : 0);
      await vi.waitFor(async () => expect(await vote(20)).toContain(503), waitOptions);
      // For a second, it still gets the last result.
      await vi.waitFor(
        async () => expect(await readStoreStatus(url)).toEqual({ status: 503, ready: false }),
        waitOptions,
      );
      expect(new Set(await vote(20))).toEqual(new Set([503]));
      expect((await fetch(`${url}/healthz`)).status).toBe(200);

      limitFileSize(running, 'unlimited');
      expect(new Set(await vote(20))).toEqual(new Set([200]));
      await vi.waitFor(async () => expect(await readStoreStatus(url)).toMatchObject({ ready: true }), waitOptions);
    }
    running.process.kill('SIGTERM');
    expect(await running.ended).toBe(0);
    await verifyLedger(file);
  });

  it('because another program has locked it: behaves the same, and slash commands report it unless the data is known', async () => {
    const file = join(tempDir(), 'tallyhook.db');
    const { app, discord, url } = await startInstallation({ DATABASE_URL: `sqlite:${file}` });
    await vi.waitFor(() => expect(discord.commands().map(({ name }) => name)).toContain('canvote'), waitOptions);
    const { vote, verifyLedger } = createVoter(() => url);
    const [voter, stranger] = discord.members;
    expect(await vote(1, voter?.id)).toEqual([200]);
    await vi.waitFor(() => expect(discord.messages(discord.channels.announcements)).toHaveLength(1), waitOptions);

    const other = new DatabaseSync(file, { timeout: 30_000 });
    other.exec('BEGIN IMMEDIATE');
    const runCanVote = async (userId = '') => {
      const use = { name: 'canvote', options: {}, userId, channelId: discord.channels.general };
      return JSON.stringify((await discord.runCommand(use).settled).embeds);
    };
    // At once, because each waits for the lock for three seconds.
    const [statuses, storeStatus, known, unknown] = await Promise.all([
      vote(32),
      readStoreStatus(url),
      runCanVote(voter?.id),
      runCanVote(stranger?.id),
    ]);
    expect(new Set(statuses)).toEqual(new Set([503]));
    expect(storeStatus).toEqual({ status: 503, ready: false });
    expect(known).toContain('can vote for');
    expect(unknown).toContain('The bot has a temporary problem');
    expect(unknown).toMatch(/Please try again <t:\d+:R>/);
    other.exec('ROLLBACK');
    other.close();
    expect(new Set(await vote(20))).toEqual(new Set([200]));
    expect(await readStoreStatus(url)).toMatchObject({ ready: true });
    await app.stop();
    await verifyLedger(file);
  });
});
