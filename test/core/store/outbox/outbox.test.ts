import { systemClock } from '@tallyhook/platform/clock';
import type { Query } from '@tallyhook/platform/database/dialect';
import { hour, minute } from '@tallyhook/platform/durations';
import { describe, expect, it } from 'vitest';
import { plainRewards } from '../../../../src/core/rewards/rules.ts';
import { createGroupCommit, createWriter } from '../../../../src/core/store/commits/group-commit.ts';
import { sqlite } from '../../../../src/core/store/dialect/sqlite.ts';
import { migrate } from '../../../../src/core/store/migrations/index.ts';
import * as module from '../../../../src/core/store/outbox/store.ts';
import { effectsPerCount } from '../../../../src/core/store/outbox/store.ts';
import { queryBuilder } from '../../../../src/core/store/query-builder.ts';
import { createSqlClients } from '../../../../src/core/store/sql-module.ts';
import type { ListingContext } from '../../../../src/core/tally/listing-context.ts';
import type { Delivery } from '../../../../src/core/tally/tally.ts';
import { createRecordings } from '../../../../src/features/create-store.ts';
import { storedFeatures } from '../../../../src/features/index.ts';
import { partyAnnounced } from '../../../../src/features/party/rules.ts';
import { claimDue } from '../../../support/claim-due.ts';
import { firstCommunity } from '../../../support/communities.ts';
import { newSqliteFile } from '../../../support/new-sqlite.ts';

const start = Date.UTC(2026, 0, 1);

const listing: ListingContext = {
  name: 'server',
  kind: 'server',
  id: null,
  rewards: plainRewards({ perVote: 10, perPremium: 100, whenDenied: 0, cooldownMs: 12 * hour }),
  community: { id: firstCommunity, guildId: null, timeZone: 'UTC', listings: ['server'] },
  announced: { votes: true, milestones: true, premium: true, ...partyAnnounced.as(true) },
  announceChannelId: '1',
  premiumChannelId: null,
};

/** An outbox that records its queries, to check how SQLite executes them. */
async function recordingOutbox() {
  const dialect = sqlite(newSqliteFile());
  await migrate(dialect, systemClock);
  const queries: Query[] = [];
  const reading = {
    ...dialect.reading,
    run(query: Query) {
      queries.push(query);
      return dialect.reading.run(query);
    },
  };
  const db = queryBuilder(dialect);
  const { write } = createGroupCommit([createWriter(dialect, systemClock, storedFeatures)], systemClock, 100_000);
  const sql = { ...storedFeatures, db, connection: reading, reusesShortenedRows: false };
  const { outbox } = createSqlClients({ outbox: module }, sql, write);
  const { record } = createRecordings(write);
  const enqueue = async (createdAt: number) => {
    const delivery: Delivery = { receivedAt: createdAt, family: 'vote', body: '{}' };
    await record(delivery, { type: 'test', test: { kind: 'server_vote', userId: '1' }, listing });
  };
  const plans = async () =>
    Promise.all(
      queries.map(async ({ sql, parameters }) => {
        const steps = await dialect.reading.run({ sql: `explain query plan ${sql}`, parameters });
        return (steps as { detail: string }[]).map(({ detail }) => detail).join(' · ');
      }),
    );
  return { outbox, enqueue, plans };
}

describe('the figures of the outbox for a metrics scrape', () => {
  it('are read from the partial indexes of waiting and buried effects, never from the whole table', async () => {
    const { outbox, plans } = await recordingOutbox();
    await outbox.sizes();
    await outbox.waitingSince(start);
    const steps = await plans();
    expect(steps.length).toBeGreaterThanOrEqual(3);
    for (const plan of steps) expect(plan).toMatch(/USING (COVERING )?INDEX effects_(by_channel|buried)/);
  });

  it('include all waiting effects, counted in slices', async () => {
    const { outbox, enqueue } = await recordingOutbox();
    const count = 2 * effectsPerCount + 1;
    await Promise.all(Array.from({ length: count }, (_, number) => enqueue(start + (number % 7))));
    expect(await outbox.sizes()).toEqual({ waiting: count, buried: 0 });
    await claimDue(outbox, start + minute, start + 2 * minute, 10);
    expect(await outbox.sizes()).toEqual({ waiting: count, buried: 0 });
  });

  it('include the oldest waiting effect, whether it is next in the queue or postponed', async () => {
    const { outbox, enqueue } = await recordingOutbox();
    expect(await outbox.waitingSince(start)).toBe(null);
    await enqueue(start);
    const [first] = await claimDue(outbox, start, start + minute, 1);
    await enqueue(start + minute);
    await outbox.retry(first ? [first] : [], start + hour, 'Discord is down');
    expect(await outbox.waitingSince(start + 2 * minute)).toBe(start);
    await outbox.done(first ? [first] : [], start + 2 * minute);
    expect(await outbox.waitingSince(start + 2 * minute)).toBe(start + minute);
  });
});
