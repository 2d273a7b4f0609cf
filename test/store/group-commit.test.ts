import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { createGroupCommit } from '../../src/store/group-commit.ts';
import { sqlite } from '../../src/store/sqlite.ts';
import { tempDir } from '../support/temp-dir.ts';

/** A group commit over a real database with one table, which counts the commits. */
async function committing(mostWaiting = 1_000) {
  const dialect = sqlite(join(tempDir(), 'group.db'));
  onTestFinished(() => dialect.close());
  const { writing } = dialect;
  await writing.run({ sql: 'CREATE TABLE numbers (n INTEGER PRIMARY KEY)', parameters: [] });
  let commits = 0;
  const counted = {
    ...dialect,
    writing: {
      ...writing,
      commit: async () => {
        commits += 1;
        await writing.commit();
      },
    },
  };
  const group = createGroupCommit(counted, systemClock, mostWaiting);
  const insert = (n: number) =>
    group.write(async () => void (await writing.run({ sql: 'INSERT INTO numbers VALUES (?)', parameters: [n] })));
  const numbers = async () =>
    (await dialect.reading.run({ sql: 'SELECT n FROM numbers ORDER BY n', parameters: [] })) as { n: number }[];
  return { group, insert, numbers, commits: () => commits };
}

describe('the group commit', () => {
  it('commits together what waits together', async () => {
    const { insert, numbers, commits } = await committing();
    await Promise.all(Array.from({ length: 500 }, (_, n) => insert(n)));
    expect(await numbers()).toHaveLength(500);
    expect(commits()).toBeLessThanOrEqual(3);
  });

  it('lets a lone work wait for nobody', async () => {
    const { insert, commits } = await committing();
    await insert(1);
    await insert(2);
    expect(commits()).toBe(2);
  });

  it('resolves after the commit, so that another connection sees it', async () => {
    const { insert, numbers } = await committing();
    await insert(1);
    expect(await numbers()).toEqual([{ n: 1 }]);
  });

  it('keeps the others of a batch in which one fails', async () => {
    const { insert, numbers } = await committing();
    const settled = await Promise.allSettled([insert(1), insert(1), insert(2)]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await numbers()).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('refuses more than it may hold, and takes up again', async () => {
    const { insert, numbers } = await committing(10);
    const settled = await Promise.allSettled(Array.from({ length: 15 }, (_, n) => insert(n)));
    const refused = settled.flatMap((result) =>
      result.status === 'rejected' ? [(result.reason as { code: string }).code] : [],
    );
    expect(refused).toEqual(Array.from({ length: 5 }, () => 'queue_full'));
    await insert(99);
    expect(await numbers()).toHaveLength(11);
  });

  it('commits what waits when it is closed, and then takes no more', async () => {
    const { group, insert, numbers } = await committing();
    const waiting = [insert(1), insert(2)];
    await group.close();
    await Promise.all(waiting);
    expect(await numbers()).toHaveLength(2);
    await expect(insert(3)).rejects.toMatchObject({ code: 'store_unavailable' });
  });
});
