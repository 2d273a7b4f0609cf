import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { fileReplacedMessages } from '../../src/platform/database-files.ts';
import { openStore } from '../../src/store/store.ts';
import { diagnose } from '../cli/doctor/run.ts';
import { createSender } from '../support/sender.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';
import { startProgram } from '../support/start-program.ts';
import { tempDir } from '../support/temp-dir.ts';

const waitOptions = { timeout: 20_000, interval: 50 };
const reason = fileReplacedMessages.database;

/** Starts a program and sends votes to it. The backup lacks the last 20 votes. */
async function startReceivingProgram() {
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
  const backupProgram = startProgram(['backup', backup], environment, directory);
  expect(await backupProgram.ended).toBe(0);
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
    for (const userId of acknowledged) expect(await store.ledger.account(userId)).toMatchObject({ credits: 10 });
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

const suffixes = ['', '-wal', '-shm'];
const removeAll = (file: string) => {
  for (const suffix of suffixes) rmSync(file + suffix);
};
const damages: Readonly<Record<string, (file: string, backup: string) => void>> = {
  'is deleted': (file) => rmSync(file),
  'is deleted with its -wal and -shm files': removeAll,
  'is replaced by another one': (file, backup) => renameSync(backup, file),
  'is moved away with its directory': (file) => renameSync(join(file, '..'), `${join(file, '..')}-moved`),
  'is overwritten with a backup': (file, backup) => copyFileSync(backup, file),
  'is truncated': (file) => truncateSync(file),
};

describe('a database file that', { timeout: 60_000 }, () => {
  it.each(Object.keys(damages))(
    '%s while the program runs: votes get 503, and /readyz and the log report the reason',
    async (damage) => {
      const { running, url, file, backup, votes, readiness, lastLoggedError } = await startReceivingProgram();
      damages[damage]?.(file, backup);
      expect(await votes(20)).toEqual(new Set([503]));
      expect(await readiness()).toEqual({ status: 503, store: { ready: false, reason } });
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      await vi.waitFor(
        () => expect(lastLoggedError()).toMatchObject({ level: 50, file: expect.stringContaining(file) }),
        {
          ...waitOptions,
          timeout: 3_000,
        },
      );
      expect(running.process.exitCode).toBe(null);
    },
  );

  it('is overwritten with an older copy: votes get 503', async () => {
    const { file, environment, directory, stop } = await startReceivingProgram();
    await stop();
    copyFileSync(file, `${file}.old`);
    const restartedProgram = startProgram(['start'], environment, directory);
    const url = await restartedProgram.url();
    const { send } = createSender(1);
    const status = async (userId: string) => {
      const body = JSON.stringify({ event: 'server_vote', userId, padding: 'x'.repeat(50_000) });
      return (await send(url, { family: 'vote', body }))?.status;
    };
    expect(await status('901')).toBe(200);
    const other = new DatabaseSync(file);
    onTestFinished(() => other.close());
    other.exec('PRAGMA wal_checkpoint(FULL)');
    expect(await status('902')).toBe(200);
    copyFileSync(`${file}.old`, file);
    expect(await status('903')).toBe(503);
  });

  it('is moved away and back: votes are stored again without a restart', async () => {
    const { running, file, votes, readiness, lastLoggedError, stop, expectAllVotesStored } =
      await startReceivingProgram();
    const folder = join(file, '..');
    renameSync(folder, `${folder}-moved`);
    expect(await votes(5)).toEqual(new Set([503]));
    await vi.waitFor(() => expect(lastLoggedError().hint).toContain('move it back'), waitOptions);
    renameSync(`${folder}-moved`, folder);
    expect(await votes(20)).toEqual(new Set([200]));
    expect((await readiness()).store).toEqual({ ready: true });
    await vi.waitFor(() => expect(running.output()).toContain('the database file is back'), waitOptions);
    await stop();
    await expectAllVotesStored(file);
  });

  it('is deleted under load: acknowledged votes can be rescued with the command in the log', async () => {
    const { directory, environment, file, vote, votes, lastLoggedError, stop, expectAllVotesStored } =
      await startReceivingProgram();
    let isFinished = false;
    const load = Array.from({ length: 16 }, async () => {
      while (!isFinished) await vote();
    });
    await new Promise((resolve) => setTimeout(resolve, 500));
    removeAll(file);
    await new Promise((resolve) => setTimeout(resolve, 500));
    isFinished = true;
    await Promise.all(load);
    expect(await votes(5)).toEqual(new Set([503]));
    await vi.waitFor(() => expect(lastLoggedError().hint).toContain('/proc/'), waitOptions);

    const [, copyCommand = ''] = /`(cp [^`]+)`/.exec(lastLoggedError().hint ?? '') ?? [];
    execFileSync('sh', ['-c', copyCommand], { cwd: directory });
    await stop();
    const restore = startProgram(['restore', 'RESCUED.db'], environment, directory);
    expect(await restore.ended, restore.output()).toBe(0);
    await expectAllVotesStored(file);
  });

  it.each([
    ['-wal', ['-wal']],
    ['-shm', ['-shm']],
    ['-wal and -shm', ['-wal', '-shm']],
  ])(
    'loses its %s: SIGKILL loses no acknowledged vote, and votes are stored again without a restart',
    async (_, lost) => {
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
    },
  );

  it.each([['-wal'], ['-shm']])(
    'loses its %s while another program has the old one open: votes get 503 until that one has ended',
    async (suffix) => {
      const { file, vote, votes, readiness, running, stop, expectAllVotesStored } = await startReceivingProgram();
      const other = new DatabaseSync(file);
      other.exec('PRAGMA schema_version');
      rmSync(`${file}${suffix}`);
      // The first vote finds out, and a second later it is clear that the file cannot be opened again.
      expect(await votes(5)).toEqual(new Set([503]));
      await vi.waitFor(() => expect(running.output()).toContain('votes were written'), waitOptions);
      const before = await readiness();
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      expect(await votes(5)).toEqual(new Set([503]));
      expect(before.store).toEqual({ ready: false, reason: fileReplacedMessages.log });
      other.close();
      await vi.waitFor(async () => expect(await vote()).toBe(200), waitOptions);
      await stop();
      await expectAllVotesStored(file);
    },
  );

  it('loses its write-ahead log while no votes arrive: they are saved as well', async () => {
    const { running, file, lastLoggedError, expectAllVotesStored } = await startReceivingProgram();
    rmSync(`${file}-wal`);
    await vi.waitFor(() => expect(lastLoggedError().hint).toContain('were written'), waitOptions);
    running.process.kill('SIGKILL');
    await running.ended;
    await expectAllVotesStored(file);
  });

  it('loses its write-ahead log while another program has it open: a graceful shutdown saves all votes', async () => {
    const { file, votes, lastLoggedError, stop, expectAllVotesStored } = await startReceivingProgram();
    // In one step, or the program might find out before the other one opens its files.
    for (const suffix of ['-wal', '-shm']) {
      writeFileSync(`${file}.other`, '', { mode: 0o600 });
      renameSync(`${file}.other`, `${file}${suffix}`);
    }
    // It would not see pages that a checkpoint of the deleted log changes.
    const other = new DatabaseSync(file);
    other.exec('PRAGMA schema_version');
    expect(await votes(5)).toEqual(new Set([503]));
    await vi.waitFor(() => expect(lastLoggedError().hint).toContain('SIGTERM'), waitOptions);
    other.close();
    await stop();
    await expectAllVotesStored(file);
  });

  it('is replaced: the doctor reports it from the running program, and does not change the new file', async () => {
    const { file, backup, environment, url } = await startReceivingProgram();
    const doctorEnvironment = { ...environment, DATABASE_URL: `sqlite:${file}`, PORT: new URL(url).port };
    expect((await diagnose(doctorEnvironment)).findingsOf('program')).toEqual([
      'pass: The running tallyhook can store votes.',
    ]);
    renameSync(backup, file);
    const { findingsOf, results } = await diagnose(doctorEnvironment);
    expect(findingsOf('program')).toEqual([`fail: The running tallyhook cannot store votes: ${reason}`]);
    expect(results.map(({ check }) => check)).not.toContain('ledger');
    mkdirSync(join(file, '..', 'apart'));
    copyFileSync(file, join(file, '..', 'apart', 'new.db'));
    const restored = new DatabaseSync(join(file, '..', 'apart', 'new.db'));
    expect(restored.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    restored.close();
  });
});

describe('a cache file that is deleted or damaged while the program runs', { timeout: 60_000 }, () => {
  it.each([
    ['deleted', (file: string) => rmSync(file)],
    ['truncated', (file: string) => truncateSync(file)],
  ])('is not required if it is %s: votes are stored, and the program shuts down gracefully', async (_, damage) => {
    const { directory, votes, readiness, stop, file, expectAllVotesStored } = await startReceivingProgram();
    damage(join(directory, 'data', 'cache.db'));
    expect(await votes(20)).toEqual(new Set([200]));
    expect((await readiness()).store).toEqual({ ready: true });
    await stop();
    await expectAllVotesStored(file);
  });
});
