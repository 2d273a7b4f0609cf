import { copyFileSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, vi } from 'vitest';
import { diagnose } from '../cli/doctor/run.ts';
import {
  expectNoVoteLostWith,
  expectRejectedVotes,
  reason,
  removeAll,
  startReceivingProgram,
  waitOptions,
} from './database-file.ts';

describe('a database file that', { timeout: 180_000 }, () => {
  it('is deleted with its -wal and -shm files while the program runs: votes get 503, and /readyz and the log report the reason', () =>
    expectRejectedVotes(removeAll));

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

  it('loses its -wal and -shm: SIGKILL loses no acknowledged vote, and votes are stored again without a restart', () =>
    expectNoVoteLostWith(['-wal', '-shm']));

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
