import { join } from 'node:path';
import { systemClock } from '@tallyhook/platform/clock';
import { minute } from '@tallyhook/platform/durations';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGroupCommit, createWriter } from '../../../../src/core/store/commits/group-commit.ts';
import type { Dialect } from '../../../../src/core/store/dialect/dialect.ts';
import { sqlite } from '../../../../src/core/store/dialect/sqlite.ts';
import { migrate } from '../../../../src/core/store/migrations/index.ts';
import { startWriteWorker } from '../../../../src/core/store/open-database.ts';
import { storedFeatures } from '../../../../src/features/index.ts';

const workerFile = new URL('../../../../src/features/write-worker.ts', import.meta.url);

/** A migrated database file that this thread has opened. */
async function openMigrated() {
  const dialect = sqlite(join(tempDir(), 'group.db'));
  onTestFinished(() => dialect.close());
  await migrate(dialect, systemClock);
  if (dialect.files === null) throw new Error('expected a file');
  return { dialect, files: dialect.files };
}

/** A group commit over a real database, whose jobs insert rows into the budget's log. It counts the commits of this thread. */
async function createTestCommit(place: 'this thread' | 'a worker', maxQueueLength = 1_000) {
  const { dialect, files } = await openMigrated();
  let commits = 0;
  const countingDialect: Dialect = {
    ...dialect,
    openWriting: () => {
      const writing = dialect.openWriting();
      const commit = async () => {
        commits += 1;
        await writing.commit();
      };
      return { ...writing, commit };
    },
  };
  const group =
    place === 'a worker'
      ? startWriteWorker(workerFile, files, maxQueueLength)
      : createGroupCommit([createWriter(countingDialect, systemClock, storedFeatures)], systemClock, maxQueueLength);
  onTestFinished(() => group.close());
  const insert = (at: number | null) =>
    group.write({ module: 'budgetStore', name: 'acquire', args: ['key', at, minute, 1_000] as never[] });
  const rows = () => dialect.reading.run({ sql: 'SELECT at FROM lookup_requests ORDER BY at', parameters: [] });
  return { group, insert, rows, commits: () => commits };
}

describe.each(['this thread', 'a worker'] as const)('the group commit of %s', (place) => {
  it('commits the other jobs of a batch if one fails', async () => {
    const { group, insert, rows } = await createTestCommit(place);
    const settled = await Promise.allSettled([insert(1), insert(null), insert(2)]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await rows()).toEqual([{ at: 1 }, { at: 2 }]);
    expect(group.waiting()).toBe(0);
  });

  it('rejects jobs while its queue is full, and accepts them afterwards', async () => {
    const { insert, rows } = await createTestCommit(place, 10);
    const settled = await Promise.allSettled(Array.from({ length: 15 }, (_, n) => insert(n)));
    const rejected = settled.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(rejected).toMatchObject(Array.from({ length: 5 }, () => ({ code: 'queue_full' })));
    await insert(99);
    expect(await rows()).toHaveLength(11);
  });

  it('commits queued jobs when it is closed, and then rejects new ones', async () => {
    const { group, insert, rows } = await createTestCommit(place);
    const waiting = [insert(1), insert(2)];
    await group.close();
    await Promise.all(waiting);
    expect(await rows()).toHaveLength(2);
    await expect(insert(3)).rejects.toMatchObject({ code: 'store_unavailable' });
  });
});

describe('the group commit', () => {
  it('commits queued jobs together, and a single one immediately', async () => {
    const { insert, rows, commits } = await createTestCommit('this thread');
    await insert(1_000);
    await insert(1_001);
    expect(commits()).toBe(2);
    await Promise.all(Array.from({ length: 500 }, (_, n) => insert(n)));
    expect(await rows()).toHaveLength(502);
    expect(commits()).toBeLessThanOrEqual(5);
  });

  it.each([
    ['busy', 500],
    ['unavailable', 1_500],
  ] as const)(
    'rejects all jobs of a long queue within 5 s while each slow attempt finds the database %s',
    async (status, attemptMs) => {
      const clock = manualClock();
      const startedAt = clock.now();
      async function commit() {
        await clock.sleep(attemptMs);
        return { status, cause: new Error('no') };
      }
      const group = createGroupCommit([{ commit }], clock, 10_000);
      const rejectionTimes = Array.from({ length: 2_000 }, (_, at) =>
        group.write({ module: 'probes', name: 'write', args: [at] as never[] }).catch(() => clock.now() - startedAt),
      );
      for (let tries = 0; tries < 40; tries += 1) await clock.advance(500);
      expect(Math.max(...((await Promise.all(rejectionTimes)) as number[]))).toBeLessThanOrEqual(5_000);
    },
  );

  it('of a worker that crashes rejects its pending jobs, and starts again', async () => {
    const { files } = await openMigrated();
    const commits = startWriteWorker(workerFile, { ...files, header: new Uint8Array() }, 10);
    const job = { module: 'probes', name: 'write', args: [1] as never[] };
    for (let time = 0; time < 2; time += 1)
      await expect(commits.write(job)).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(commits.waiting()).toBe(0);
    await commits.close();
  });
});
