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
