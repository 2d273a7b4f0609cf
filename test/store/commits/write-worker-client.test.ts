import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/platform/clock.ts';
import { minute } from '../../../src/platform/durations.ts';
import { startWriteWorker } from '../../../src/store/commits/write-worker-client.ts';
import { sqlite } from '../../../src/store/dialect/sqlite.ts';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { tempDir } from '../../support/temp-dir.ts';

/** A migrated file, as this thread has it open. */
async function migrated() {
  const dialect = sqlite(join(tempDir(), 'tally.db'));
  onTestFinished(() => dialect.close());
  await migrate(dialect, systemClock);
  if (dialect.files === null) throw new Error('A file is expected.');
  return { dialect, files: dialect.files };
}

/** A writing thread on a migrated file. Its jobs note departures in the budget's log. */
async function committing(mostWaiting = 100) {
  const { dialect, files } = await migrated();
  const commits = startWriteWorker(files, mostWaiting);
  onTestFinished(() => commits.close());
  const note = (at: number | null) => commits.write('acquire', 'key', at as number, minute, 1_000);
  const noted = () => dialect.reading.run({ sql: 'SELECT at FROM lookup_requests ORDER BY at', parameters: [] });
  return { commits, note, noted };
}

describe('the thread that writes', () => {
  it('resolves each write after its commit, and lets one of a batch fail alone', async () => {
    const { commits, note, noted } = await committing();
    const settled = await Promise.allSettled([note(1), note(null), note(2)]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await noted()).toEqual([{ at: 1 }, { at: 2 }]);
    expect(commits.waiting()).toBe(0);
  });

  it('refuses more than may wait, and takes up again', async () => {
    const { note, noted } = await committing(2);
    const settled = await Promise.allSettled([note(1), note(2), note(3)]);
    expect(settled[2]).toMatchObject({ reason: { code: 'queue_full' } });
    await note(4);
    expect(await noted()).toHaveLength(3);
  });

  it('commits what waits when it is closed, and then takes no more', async () => {
    const { commits, note, noted } = await committing();
    const waiting = [note(1), note(2)];
    await commits.close();
    await Promise.all(waiting);
    expect(await noted()).toHaveLength(2);
    await expect(note(3)).rejects.toMatchObject({ code: 'store_unavailable' });
  });

  it('counts as not written what it had when it ends by a fault', async () => {
    const { files } = await migrated();
    const commits = startWriteWorker({ ...files, header: new Uint8Array() }, 10);
    await expect(commits.write('probe', 1)).rejects.toMatchObject({ code: 'store_unavailable' });
    await expect(commits.write('probe', 2)).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(commits.waiting()).toBe(0);
    await commits.close();
  });
});
