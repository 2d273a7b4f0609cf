import type { ListingContext } from '../../src/core/tally/listing-context.ts';
import type { RecordedDelivery } from '../../src/core/tally/tally.ts';
import type { Store } from '../../src/features/store.ts';
import type { Premium, Vote } from '../../src/webhook/event.ts';

/** A vote for a listing at its time (ms since the epoch), or without one. */
export function voteFor(
  { kind }: Pick<ListingContext, 'kind'>,
  userId: string,
  at: number | null,
  changes: Partial<Vote> = {},
): Vote {
  return {
    ...{ family: 'vote', kind: kind === 'server' ? 'server_vote' : 'bot_vote', target: { kind, id: null } },
    ...{ userId, at, creditsAwarded: null, denial: null, ...changes },
  };
}

/** Records a vote for a listing, which is received at its time if `changes` do not say when. */
export function recordVote(
  { recorder }: Pick<Store, 'recorder'>,
  listing: ListingContext,
  userId: string,
  at: number | null,
  { receivedAt = at ?? 0, ...changes }: Partial<Vote> & { readonly receivedAt?: number } = {},
): Promise<RecordedDelivery> {
  const body = JSON.stringify({ userId, at, listing: listing.name });
  const event = voteFor(listing, userId, at, changes);
  return recorder.record({ receivedAt, family: 'vote', body }, { type: 'event', listing, event });
}

/** A purchase of premium for a server, without a time. */
export function premiumFor(userId: string | null, changes: Partial<Premium> = {}): Premium {
  return {
    ...{ family: 'premium', kind: 'premium_purchase', target: { kind: 'server', id: null }, userId, isRecipient: true },
    ...{ giftedBy: null, orderIds: ['order'], tier: null, at: null, periodEnd: null, creditsAwarded: null, ...changes },
  };
}
