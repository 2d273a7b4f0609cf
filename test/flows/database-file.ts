import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { openStore } from '../../src/features/store.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { fileReplacedMessages } from '../../src/platform/database-files.ts';
import { runCommand } from '../support/command-line.ts';
import { firstCommunity } from '../support/communities.ts';
import { createSender } from '../support/sender.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';
import { startProgram } from '../support/start-program.ts';
import { tempDir } from '../support/temp-dir.ts';

export const waitOptions = { timeout: 60_000, interval: 50 };
export const reason = fileReplacedMessages.database;

/** Starts a program and sends votes to it. The backup lacks the last 20 votes. */
export async function startReceivingProgram() {
  const directory = tempDir();
  const environment = { ...settings(unreachableDiscord), ANNOUNCE_CHANNEL_ID: '1' };
  const running = startProgram(['start'], environment, directory);
  const url = await running.url();
  const { send } = createSender(16);
  const file = join(directory, 'data', 'tallyhook.db');
  const acknowledged = new Set<string>();
  let user = 0;

  async function vote(): Promise<number> {
    user += 1;
    const userId = String(user);
    const body = JSON.stringify({ event: 'server_vote', userId, timestamp: new Date().toISOString() });
    const response = await send(url, { family: 'vote', body });
    if (response?.status === 200) acknowledged.add(userId);
    if (response?.status === 503) expect(response.retryAfter).toBeGreaterThan(0);
    return response?.status ?? 0;
  }

  const votes = async (count: number) => new Set(await Promise.all(Array.from({ length: count }, vote)));
  expect(await votes(20)).toEqual(new Set([200]));
  const backup = join(directory, 'backup.db');
  expect((await runCommand(['backup', backup], environment, directory)).code).toBe(0);
  expect(await votes(20)).toEqual(new Set([200]));

  async function readiness() {
    const response = await fetch(`${url}/readyz`);
    const { parts } = (await response.json()) as { parts: { store: { ready: boolean; reason?: string } } };
    return { status: response.status, store: parts.store };
  }

  const lastLoggedError = () => {
    const lines = running.output().split('\n');
    const line = lines.findLast((each) => each.includes('"code":"database_file_replaced"')) ?? '{}';
    return JSON.parse(line) as { level?: number; file?: string; hint?: string };
  };

  async function stop(): Promise<void> {
    running.process.kill('SIGTERM');
    expect(await running.ended).toBe(0);
  }

  /** Checks that the database has all acknowledged votes. */
  async function expectAllVotesStored(path: string): Promise<void> {
    const store = await openStore(`sqlite:${path}`, systemClock);
    for (const userId of acknowledged)
      expect(await store.ledgerIn(firstCommunity).account(userId)).toMatchObject({ credits: 10 });
    await store.close();
  }

  return {
    directory,
    environment,
    running,
    url,
    file,
    backup,
    vote,
    votes,
    readiness,
    lastLoggedError,
    stop,
    expectAllVotesStored,
  };
}

export const removeAll = (file: string) => {
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix);
};

/** Damages the file of a program that receives votes, and expects that it says so until it is restarted. */
export async function expectRejectedVotes(damage: (file: string, backup: string) => void): Promise<void> {
  const { running, url, file, backup, votes, readiness, lastLoggedError } = await startReceivingProgram();
  damage(file, backup);
  expect(await votes(20)).toEqual(new Set([503]));
  expect(await readiness()).toEqual({ status: 503, store: { ready: false, reason } });
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  await vi.waitFor(
    () => expect(lastLoggedError()).toMatchObject({ level: 50, file: expect.stringContaining(file) }),
    waitOptions,
  );
  expect(running.process.exitCode).toBe(null);
}

/** Deletes some of the files beside the database of a program, again and again, and kills it. */
export async function expectNoVoteLostWith(lost: readonly string[]): Promise<void> {
  const { running, file, vote, votes, readiness, lastLoggedError, expectAllVotesStored } =
    await startReceivingProgram();
  for (const round of ['first', 'second']) {
    for (const suffix of lost) rmSync(`${file}${suffix}`);
    await votes(5);
    await vi.waitFor(async () => expect(await vote(), round).toBe(200), waitOptions);
    for (const suffix of lost) expect(existsSync(`${file}${suffix}`), suffix).toBe(true);
    expect(await votes(20)).toEqual(new Set([200]));
    expect((await readiness()).store).toEqual({ ready: true });
  }
  expect(lastLoggedError().hint).toContain('acknowledged votes were written to the database file');
  expect(running.output()).not.toContain('free space');
  for (const suffix of lost) rmSync(`${file}${suffix}`);
  await votes(5);
  await vi.waitFor(
    () => expect(running.output().split('acknowledged votes were written')).toHaveLength(4),
    waitOptions,
  );
  running.process.kill('SIGKILL');
  await running.ended;
  await expectAllVotesStored(file);
}
