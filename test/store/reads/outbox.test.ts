import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/platform/clock.ts';
import { hour, minute } from '../../../src/platform/durations.ts';
import { createGroupCommit } from '../../../src/store/commits/group-commit.ts';
import { createWriter } from '../../../src/store/commits/writer.ts';
import type { Query } from '../../../src/store/dialect/dialect.ts';
import { sqlite } from '../../../src/store/dialect/sqlite.ts';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { queryBuilder } from '../../../src/store/query-builder.ts';
import { sqlOutbox } from '../../../src/store/reads/outbox.ts';
import { tallyWrites } from '../../../src/store/writes/tally.ts';
import { tempDir } from '../../support/temp-dir.ts';

const start = Date.UTC(2026, 0, 1);

/** An outbox whose statements are kept, to see how SQLite would go about them. */
async function watched() {
  const dialect = sqlite(join(tempDir(), 'tally.db'));
  await migrate(dialect, systemClock);
  const asked: Query[] = [];
  const reading = {
    ...dialect.reading,
    run(query: Query) {
      asked.push(query);
      return dialect.reading.run(query);
    },
  };
  const db = queryBuilder(dialect);
  const { write } = createGroupCommit(createWriter(dialect), systemClock, 10);
  const outbox = sqlOutbox(db, reading, write);
  const enqueue = async (createdAt: number) => {
    await dialect.writing.begin();
    await tallyWrites(db, dialect.writing).enqueue({
      deliveryId: 1,
      kind: 'announcement',
      channelId: '1',
      announcement: {} as never,
      createdAt,
    });
    await dialect.writing.commit();
  };
  const plans = async () =>
    Promise.all(
      asked.map(async ({ sql, parameters }) => {
        const steps = await dialect.reading.run({ sql: `explain query plan ${sql}`, parameters });
        return (steps as { detail: string }[]).map(({ detail }) => detail).join(' · ');
      }),
    );
  return { outbox, enqueue, plans };
}

describe('what a scrape asks of the outbox', () => {
  it('is read from the small indexes of what waits and what is buried, never from all that was ever done', async () => {
    const { outbox, plans } = await watched();
    await outbox.sizes();
    await outbox.waitingSince(start);
    const all = await plans();
    expect(all.length).toBeGreaterThanOrEqual(3);
    for (const plan of all) expect(plan).toMatch(/USING (COVERING )?INDEX effects_(waiting|buried)/);
  });

  it('finds the oldest among those that wait their turn and those that were put off', async () => {
    const { outbox, enqueue } = await watched();
    expect(await outbox.waitingSince(start)).toBe(null);
    await enqueue(start);
    const [first] = await outbox.claim(start, start + minute, 1);
    await enqueue(start + minute);
    await outbox.retry(first ? [first] : [], start + hour, 'Discord is down');
    expect(await outbox.waitingSince(start + 2 * minute)).toBe(start);
    await outbox.done(first ? [first] : [], start + 2 * minute);
    expect(await outbox.waitingSince(start + 2 * minute)).toBe(start + minute);
  });
});
