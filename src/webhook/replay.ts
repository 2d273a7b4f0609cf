import type { Clock } from '../clock.ts';
import type { Recorded } from '../tally/record-event.ts';
import type { Delivery, Outcome, Transact } from '../tally/tally.ts';
import type { ReceivingListing } from './keyring.ts';
import { parseJson, readPayload } from './payload.ts';
import { record } from './record.ts';

/** A delivery of the log, as a replay needs it. */
export interface KeptDelivery extends Delivery {
  readonly id: number;
  readonly listing: string | null;
  readonly outcome: Outcome;
}

export type Replay = (delivery: KeptDelivery) => Promise<Recorded>;

/**
 * Reads a quarantined delivery once more, with what is understood today, as of the moment when it came. Its signature was checked then.
 * A delivery that is no longer quarantined is a duplicate of itself, and pays nothing.
 */
export function createReplay(options: {
  listings: readonly ReceivingListing[];
  transact: Transact;
  clock: Clock;
  onRecorded?: (recorded: Recorded) => void;
}): Replay {
  const { listings, transact, clock, onRecorded = () => {} } = options;

  return async (delivery) => {
    if (delivery.outcome !== 'quarantined') {
      return { outcome: 'duplicate', deliveryId: delivery.id, credits: 0, reason: 'already dealt with' };
    }
    const { id, family, receivedAt, body } = delivery;
    const named = listings.filter(({ name }) => name === delivery.listing);
    const grants = (named.length > 0 ? named : listings).map((listing) => ({ listing, family }));
    const reading = readPayload(parseJson(body)?.value, { premiumPath: family === 'premium', now: clock.now() });
    const recorded = await transact((tally) =>
      record(tally, { receivedAt, family, body }, reading, grants, async (row) =>
        (await tally.relog(id, row)) ? id : null,
      ),
    );
    onRecorded(recorded);
    return recorded;
  };
}
