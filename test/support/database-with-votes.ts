import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { openStore } from '../../src/features/store.ts';
import type { Vote } from '../../src/webhook/event.ts';
import { serverAndBot } from './listings.ts';
import { voteOf } from './record-vote.ts';

export const voteTime = Date.UTC(2026, 0, 1);

/** Creates a database with one vote for the server per user. Each pays 10 credits and has a pending announcement. */
export async function createDatabaseWithVotes(
  url: string,
  userIds: readonly string[],
  changes: Partial<Vote> = {},
): Promise<void> {
  const [server] = serverAndBot();
  const store = await openStore(url, manualClock(voteTime), { thread: false });
  for (const userId of userIds) {
    const vote = voteOf({ userId, at: voteTime, ...changes });
    await store.recorder.record(
      { receivedAt: voteTime, family: 'vote', body: JSON.stringify(vote) },
      { type: 'event', event: vote, listing: server },
    );
  }
  await store.close();
}
