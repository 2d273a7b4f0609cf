import { systemClock } from '@tallyhook/platform/clock';
import { StoreUnavailableError } from '@tallyhook/platform/errors';
import pg from 'pg';
import { expect, onTestFinished } from 'vitest';
import { balanceDifferences, brokenLinks } from '../../../../src/core/store/snapshots/audit.ts';
import { openSnapshot } from '../../../../src/core/store/snapshots/snapshot.ts';
import type { RoutedDelivery } from '../../../../src/core/tally/tally.ts';
import { openStore } from '../../../../src/features/store.ts';
import { firstCommunity } from '../../../support/communities.ts';
import { serverAndBot } from '../../../support/listings.ts';
import { voteOf } from '../../../support/record-vote.ts';

const [listing] = serverAndBot();
export const start = Date.UTC(2026, 0, 1);
export const delivery = { receivedAt: start, family: 'vote', body: '{}' } as const;

export function vote(userId: string): RoutedDelivery & { type: 'event' } {
  return { type: 'event', event: voteOf({ userId, at: start }), listing };
}

/** Two stores record each vote and each correction once while so many statements and connections are ended. */
export async function recordWhileConnectionsFail(url: string, failureCount: number): Promise<void> {
  const stores = [await openStore(url, systemClock), await openStore(url, systemClock)];
  onTestFinished(() => Promise.all(stores.map((store) => store.close())).then(() => {}));
  const failures = await breakTransactions(url, failureCount);

  async function untilAccepted<Result>(send: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await send();
      } catch (error) {
        expect(error).toBeInstanceOf(StoreUnavailableError);
        await systemClock.sleep(20);
      }
    }
  }

  let rounds = 0;
  for (; !failures.isOver; rounds += 1) {
    const userIds = Array.from({ length: 40 }, (_, index) => String(1_000 * rounds + index));
    await Promise.all(
      stores.flatMap(({ recorder }) =>
        userIds.flatMap((userId) => [
          untilAccepted(() => recorder.record(delivery, vote(userId))),
          untilAccepted(() =>
            recorder.correct({ communityId: firstCommunity, userId, credits: 1, reason: 'lost', at: start }, userId),
          ),
        ]),
      ),
    );
  }
  await failures.running;

  const votes = rounds * 40;
  const counts = await stores[0]?.records.counts();
  expect(counts).toMatchObject({ votes, users: votes, credits: votes * 11, deliveries: { recorded: votes } });
  const snapshot = await openSnapshot(url);
  expect(await balanceDifferences(snapshot)).toEqual({ count: 0, first: [] });
  expect(await brokenLinks(snapshot)).toBe(0);
  await snapshot.close();
}

/**
 * Cancels a statement or terminates a connection, so many times, each time another one. It ends by itself: on a slow disk
 * every transaction would last longer than the pause between two failures, and none would ever be committed.
 */
async function breakTransactions(
  url: string,
  failureCount: number,
): Promise<{ readonly isOver: boolean; readonly running: Promise<void> }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let count = 0;
  async function run(): Promise<void> {
    for (let attempt = 0; count < failureCount; attempt += 1) {
      await systemClock.sleep(3);
      const { rows } = await client.query<{ done: boolean }>(`
        SELECT ${attempt % 2 === 0 ? 'pg_terminate_backend' : 'pg_cancel_backend'}(pid) AS done FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle' LIMIT 1`);
      count += rows.filter(({ done }) => done).length;
    }
    await client.end();
  }
  const running = run();
  return {
    get isOver() {
      return count >= failureCount;
    },
    running,
  };
}
