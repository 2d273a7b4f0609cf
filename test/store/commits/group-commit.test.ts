import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/platform/clock.ts';
import { minute } from '../../../src/platform/durations.ts';
import { createGroupCommit } from '../../../src/store/commits/group-commit.ts';
import { createWriter } from '../../../src/store/commits/writer.ts';
import type { Dialect } from '../../../src/store/dialect/dialect.ts';
import { sqlite } from '../../../src/store/dialect/sqlite.ts';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { tempDir } from '../../support/temp-dir.ts';

/** A group commit over a real database, which counts the commits. Its jobs note departures in the budget's log. */
async function committing(mostWaiting = 1_000) {
  const dialect = sqlite(join(tempDir(), 'group.db'));
  onTestFinished(() => dialect.close());
  await migrate(dialect, systemClock);
  let commits = 0;
  const counted: Dialect = {
    ...dialect,
    writing: {
      ...dialect.writing,
      commit: async () => {
        commits += 1;
        await dialect.writing.commit();
      },
    },
  };
  const group = createGroupCommit(createWriter(counted), systemClock, mostWaiting);
  const note = (at: number | null) => group.write('acquire', 'key', at as number, minute, 1_000);
  const noted = () => dialect.reading.run({ sql: 'SELECT at FROM lookup_requests ORDER BY at', parameters: [] });
  return { group, note, noted, commits: () => commits };
}

describe('the group commit', () => {
  it('commits together what waits together', async () => {
    const { note, noted, commits } = await committing();
    await Promise.all(Array.from({ length: 500 }, (_, n) => note(n)));
    expect(await noted()).toHaveLength(500);
    expect(commits()).toBeLessThanOrEqual(3);
  });

  it('lets a lone work wait for nobody', async () => {
    const { note, commits } = await committing();
    await note(1);
    await note(2);
    expect(commits()).toBe(2);
  });

  it('resolves after the commit, so that another connection sees it', async () => {
    const { note, noted } = await committing();
    await note(1);
    expect(await noted()).toEqual([{ at: 1 }]);
  });

  it('keeps the others of a batch in which one fails', async () => {
    const { note, noted } = await committing();
    const settled = await Promise.allSettled([note(1), note(null), note(2)]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await noted()).toEqual([{ at: 1 }, { at: 2 }]);
  });

  it('refuses more than it may hold, and takes up again', async () => {
    const { note, noted } = await committing(10);
    const settled = await Promise.allSettled(Array.from({ length: 15 }, (_, n) => note(n)));
    const refused = settled.flatMap((result) =>
      result.status === 'rejected' ? [(result.reason as { code: string }).code] : [],
    );
    expect(refused).toEqual(Array.from({ length: 5 }, () => 'queue_full'));
    await note(99);
    expect(await noted()).toHaveLength(11);
  });

  it.each([
    ['busy', 500],
    ['unavailable', 1_500],
  ] as const)(
    'tells the last of a long queue within 5 s, where each try takes long and finds the database %s',
    async (status, try_) => {
      const clock = manualClock();
      const began = clock.now();
      async function commit() {
        await clock.sleep(try_);
        return { status, cause: new Error('no') };
      }
      const group = createGroupCommit({ commit }, clock, 10_000);
      const told = Array.from({ length: 2_000 }, (_, at) => group.write('probe', at).catch(() => clock.now() - began));
      for (let tries = 0; tries < 40; tries += 1) await clock.advance(500);
      expect(Math.max(...((await Promise.all(told)) as number[]))).toBeLessThanOrEqual(5_000);
    },
  );

  it('commits what waits when it is closed, and then takes no more', async () => {
    const { group, note, noted } = await committing();
    const waiting = [note(1), note(2)];
    await group.close();
    await Promise.all(waiting);
    expect(await noted()).toHaveLength(2);
    await expect(note(3)).rejects.toMatchObject({ code: 'store_unavailable' });
  });
});
