import { execFileSync } from 'node:child_process';
import { copyFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { fileReplacedMessages } from '../../src/platform/database-files.ts';
import { runCommand } from '../support/command-line.ts';
import { createSender } from '../support/sender.ts';
import { startProgram } from '../support/start-program.ts';
import {
  expectNoVoteLostWith,
  expectRejectedVotes,
  removeAll,
  startReceivingProgram,
  waitOptions,
} from './database-file.ts';

const damages: Readonly<Record<string, (file: string, backup: string) => void>> = {
  'is deleted': (file) => rmSync(file),
  'is replaced by another one': (file, backup) => renameSync(backup, file),
  'is moved away with its directory': (file) => renameSync(join(file, '..'), `${join(file, '..')}-moved`),
  'is overwritten with a backup': (file, backup) => copyFileSync(backup, file),
  'is truncated': (file) => truncateSync(file),
};

describe('a database file that', { timeout: 180_000 }, () => {
  it.each(Object.entries(damages))(
    '%s while the program runs: votes get 503, and /readyz and the log report the reason',
    (_, damage) => expectRejectedVotes(damage),
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

  it('is deleted under load: acknowledged votes can be rescued with the command in the log', async () => {
    const { directory, environment, file, vote, votes, lastLoggedError, stop, expectAllVotesStored } =
      await startReceivingProgram();
    let isFinished = false;
    const statuses: number[] = [];
    const load = Array.from({ length: 16 }, async () => {
      while (!isFinished) statuses.push(await vote());
    });
    await vi.waitFor(() => expect(statuses.length).toBeGreaterThan(200), waitOptions);
    removeAll(file);
    await vi.waitFor(() => expect(statuses).toContain(503), waitOptions);
    isFinished = true;
    await Promise.all(load);
    expect(await votes(5)).toEqual(new Set([503]));
    await vi.waitFor(() => expect(lastLoggedError().hint).toContain('/proc/'), waitOptions);

    const [, copyCommand = ''] = /`(cp [^`]+)`/.exec(lastLoggedError().hint ?? '') ?? [];
    execFileSync('sh', ['-c', copyCommand], { cwd: directory });
    await stop();
    const restore = await runCommand(['restore', 'RESCUED.db'], environment, directory);
    expect(restore.code, restore.output).toBe(0);
    await expectAllVotesStored(file);
  });

  it.each(['-wal', '-shm'])(
    'loses its %s: SIGKILL loses no acknowledged vote, and votes are stored again without a restart',
    (suffix) => expectNoVoteLostWith([suffix]),
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
      await vi.waitFor(
        async () => expect((await readiness()).store).toEqual({ ready: false, reason: fileReplacedMessages.log }),
        waitOptions,
      );
      expect(await votes(5)).toEqual(new Set([503]));
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
});

describe('a cache file that is deleted or damaged while the program runs', { timeout: 180_000 }, () => {
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
