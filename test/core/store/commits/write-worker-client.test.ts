import { join } from 'node:path';
import { systemClock } from '@tallyhook/platform/clock';
import { minute } from '@tallyhook/platform/durations';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sqlite } from '../../../../src/core/store/dialect/sqlite.ts';
import { migrate } from '../../../../src/core/store/migrations/index.ts';
import { startWriteWorker } from '../../../../src/core/store/open-database.ts';

const workerFile = new URL('../../../../src/features/write-worker.ts', import.meta.url);

/** A migrated database file that this thread has opened. */
async function openMigrated() {
  const dialect = sqlite(join(tempDir(), 'tally.db'));
  onTestFinished(() => dialect.close());
  await migrate(dialect, systemClock);
  if (dialect.files === null) throw new Error('expected a file');
  return { dialect, files: dialect.files };
}

/** A write worker on a migrated file. The jobs insert rows into the budget's log. */
async function createTestWorker(maxQueueLength = 100) {
  const { dialect, files } = await openMigrated();
  const commits = startWriteWorker(workerFile, files, maxQueueLength);
  onTestFinished(() => commits.close());
  const insert = (at: number | null) =>
    commits.write({ module: 'budgetStore', name: 'acquire', args: ['key', at, minute, 1_000] as never[] });
  const rows = () => dialect.reading.run({ sql: 'SELECT at FROM lookup_requests ORDER BY at', parameters: [] });
  return { commits, insert, rows };
}

describe('the write worker', () => {
  it('resolves each write after its commit, and rejects only the failing one of a batch', async () => {
    const { commits, insert, rows } = await createTestWorker();
    const settled = await Promise.allSettled([insert(1), insert(null), insert(2)]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await rows()).toEqual([{ at: 1 }, { at: 2 }]);
    expect(commits.waiting()).toBe(0);
  });

  it('rejects writes while its queue is full, and accepts them afterwards', async () => {
    const { insert, rows } = await createTestWorker(2);
    const settled = await Promise.allSettled([insert(1), insert(2), insert(3)]);
    expect(settled[2]).toMatchObject({ reason: { code: 'queue_full' } });
    await insert(4);
    expect(await rows()).toHaveLength(3);
  });

  it('commits queued writes when it is closed, and then rejects new ones', async () => {
    const { commits, insert, rows } = await createTestWorker();
    const waiting = [insert(1), insert(2)];
    await commits.close();
    await Promise.all(waiting);
    expect(await rows()).toHaveLength(2);
    await expect(insert(3)).rejects.toMatchObject({ code: 'store_unavailable' });
  });

  it('rejects its pending writes when it crashes, and starts again', async () => {
    const { files } = await openMigrated();
    const commits = startWriteWorker(workerFile, { ...files, header: new Uint8Array() }, 10);
    const job = { module: 'probes', name: 'write', args: [1] as never[] };
    for (let time = 0; time < 2; time += 1)
      await expect(commits.write(job)).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(commits.waiting()).toBe(0);
    await commits.close();
  });
});
