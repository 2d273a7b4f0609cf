import type { ListingContext } from '../../src/core/tally/listing-context.ts';
import type { RecordedDelivery } from '../../src/core/tally/tally.ts';
import type { Store } from '../../src/features/store.ts';

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
      event: {
        ...{ family: 'vote', kind: 'server_vote', target: { kind: 'server', id: null }, userId, at },
        ...{ creditsAwarded: null, denial: null },
      },
    },
  );
}
