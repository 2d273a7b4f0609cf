import { systemClock } from '@tallyhook/platform/clock';
import { hour, minute } from '@tallyhook/platform/durations';
import { plainRewards } from '../../src/core/rewards/rules.ts';
import { partyAnnounced } from '../../src/features/party/rules.ts';
import { openStore } from '../../src/features/store.ts';
import type { Vote } from '../../src/webhook/event.ts';
import { firstCommunity } from '../../test/support/communities.ts';

const rules = { perVote: 10, perPremium: 100, whenDenied: 0, cooldownMs: 12 * hour };

/** An id of 18 digits, like Discord's. */
export function memberId(number: number): string {
  return String(300_000_000_000_000_000n + BigInt(number) * 600_001n);
}

/** One vote of each member a few minutes ago: the ledger knows when each may vote again, so no command needs a lookup. */
export async function recordVotes(databaseUrl: string, guildId: string, members: number): Promise<void> {
  const store = await openStore(databaseUrl, systemClock);
  try {
    const at = systemClock.now() - 5 * minute;
    await Promise.all(
      Array.from({ length: members }, async (_, number) => {
        const vote: Vote = {
          family: 'vote',
          kind: 'server_vote',
          target: { kind: 'server', id: guildId },
          userId: memberId(number),
          at,
          creditsAwarded: true,
          denial: null,
        };
        const { outcome } = await store.recorder.record(
          { receivedAt: at, family: 'vote', body: JSON.stringify(vote) },
          {
            type: 'event',
            event: vote,
            listing: {
              name: 'server',
              kind: 'server',
              id: null,
              rewards: plainRewards(rules),
              community: { id: firstCommunity, guildId, timeZone: 'UTC', listings: ['server'] },
              announced: { votes: true, milestones: true, premium: true, ...partyAnnounced.as(true) },
              announceChannelId: null,
              premiumChannelId: null,
            },
          },
        );
        if (outcome !== 'recorded') throw new Error(`A vote was ${outcome}.`);
      }),
    );
  } finally {
    await store.close();
  }
}
