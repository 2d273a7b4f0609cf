import type { CommunityId } from '../../src/core/ledger/account.ts';
import type { Store } from '../../src/features/store.ts';

/** A raffle that a member with an account has won. @param now ms since the epoch */
export async function seedRaffle(store: Store, communityId: CommunityId, winner: string, now: number): Promise<void> {
  const raffleId = '5'.repeat(32);
  const times = { startsAt: now - 7, endsAt: now, openedAt: now - 7 };
  const terms = {
    period: 'week 2026-W02',
    firstDay: 20_458,
    timeZone: 'UTC',
    commitment: '',
    seed: '',
    memberKey: '5',
  };
  const rules = { winners: 1, credits: 0, ticketsPerVote: 1, maxTickets: 1 };
  const raffle = { communityId, raffleId, ...times, ...terms, rules, state: 'open', ticketsHash: null } as const;
  await store.raffles.open(raffle, null, now);
  await store.raffles.draw({ communityId, raffleId, winners: [winner], ticketsHash: '', file: '{}' }, null, now);
}
