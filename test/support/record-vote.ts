import type { ListingContext } from '../../src/core/tally/listing-context.ts';
import type { RecordedDelivery } from '../../src/core/tally/tally.ts';
import type { Store } from '../../src/features/store.ts';
import type { Premium, Vote } from '../../src/webhook/event.ts';

/** Records a vote for a server listing at its time (ms since the epoch). */
export function recordVote(
  store: Store,
  listing: ListingContext,
  userId: string,
  at: number,
): Promise<RecordedDelivery> {
  return store.recorder.record(
    { receivedAt: at, family: 'vote', body: JSON.stringify({ userId, at, listing: listing.name }) },
    {
      type: 'event',
      listing,
      event: voteOf({ userId, at }),
    },
  );
}

const newYear = Date.UTC(2026, 0, 1);

/** A vote for a server, by default by user 1 at the beginning of 2026. */
export function voteOf(changes: Partial<Vote> = {}): Vote {
  const target = { kind: 'server', id: null } as const;
  const event = { family: 'vote', kind: 'server_vote', target, userId: '1', at: newYear } as const;
  return { ...event, creditsAwarded: null, denial: null, ...changes };
}

/** A purchase by user 1, without times, with the order `order`. */
export function premiumOf(changes: Partial<Premium> = {}): Premium {
  const target = { kind: null, id: null } as const;
  const event = { family: 'premium', kind: 'premium_purchase', target, userId: '1', isRecipient: false } as const;
  const none = { giftedBy: null, tier: null, at: null, periodEnd: null, creditsAwarded: null };
  return { ...event, orderIds: ['order'], ...none, ...changes };
}
