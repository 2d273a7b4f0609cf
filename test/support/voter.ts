import { systemClock } from '@tallyhook/platform/clock';
import { expect } from 'vitest';
import { openStore } from '../../src/features/store.ts';
import { firstCommunity } from './communities.ts';
import { createSender } from './sender.ts';

/** Sends votes to the program at the URL of that moment, and records which it acknowledged. */
export function createVoter(url: () => string) {
  const { send } = createSender(32);
  const acknowledged: string[] = [];
  let user = 0;

  return {
    /** Sends votes concurrently and returns the statuses. Checks that each 503 has a Retry-After. */
    async vote(count: number, voter?: string): Promise<number[]> {
      return Promise.all(
        Array.from({ length: count }, async () => {
          user += 1;
          const userId = voter ?? String(user);
          const timestamp = new Date().toISOString();
          const body = JSON.stringify({ event: 'server_vote', userId, timestamp });
          const response = await send(url(), { family: 'vote', body });
          if (response?.status === 503) expect(response.retryAfter).toBeGreaterThan(0);
          if (response?.status === 200) acknowledged.push(userId);
          return response?.status ?? 0;
        }),
      );
    },
    /** Checks, after the program has ended, that all acknowledged votes are stored and the totals agree. */
    async verifyLedger(file: string): Promise<void> {
      const store = await openStore(`sqlite:${file}`, systemClock);
      for (const userId of acknowledged)
        expect(await store.ledgerIn(firstCommunity).account(userId)).toMatchObject({ credits: 10 });
      const { credits, votes } = await store.records.counts();
      expect(credits).toBe(10 * votes);
      await store.close();
    },
  };
}
