import type { Family } from '../ledger/event.ts';
import type { Clock } from '../platform/clock.ts';
import type { Recorder } from '../tally/recorder.ts';
import type { Delivery, Outcome, RecordedDelivery } from '../tally/tally.ts';
import { defaultVoteOf } from './default-vote.ts';
import { familyIn, kindIn, type ParsedPayload, parseJson, readPayload } from './payload.ts';
import { type ResolvableListing, withoutSecrets } from './resolve-listing.ts';
import { routeDelivery } from './route-delivery.ts';

/** A delivery of the log, as a replay needs it. */
export interface StoredDelivery extends Delivery {
  readonly id: number;
  readonly listing: string | null;
  readonly outcome: Outcome;
}

/** Resolves after the commit; rejects as {@link Recorder} does. */
export type Replay = (delivery: StoredDelivery) => Promise<RecordedDelivery>;

/**
 * Reads a quarantined delivery once more, with what is understood today, as of the moment when it came; only its announcement begins now.
 * Its signature was checked then.
 * A delivery that is no longer quarantined is a duplicate of itself, and pays nothing.
 */
export function createReplay(options: {
  listings: readonly ResolvableListing[];
  recorder: Recorder;
  clock: Clock;
  onRecorded?: (recorded: RecordedDelivery) => void;
}): Replay {
  const { listings, recorder, clock, onRecorded = () => {} } = options;

  return async (delivery) => {
    if (delivery.outcome !== 'quarantined') {
      return { outcome: 'duplicate', deliveryId: delivery.id, credits: 0, reason: 'already dealt with' };
    }
    const { id, family, receivedAt, body } = delivery;
    const named = listings.filter(({ name }) => name === delivery.listing);
    const meant = named.length > 0 ? named : listings;
    const grants = meant.map((listing) => ({ listing: withoutSecrets(listing), family }));
    const now = clock.now();
    const defaultVote = defaultVoteOf(grants, { signed: true });
    const reading = readPayload(parseJson(body)?.value, { premiumPath: family === 'premium', now, defaultVote });
    const meaning = routeDelivery(ofFamily(family, reading), grants);
    const recorded = await recorder.recordReplay(id, { receivedAt, family, body }, meaning, now);
    onRecorded(recorded);
    return recorded;
  };
}

/** What a later version reads in a body may be of another family than the secret that signed it, and then it is not to be paid. */
function ofFamily(family: Family, reading: ParsedPayload): ParsedPayload {
  const told = familyIn(reading);
  if (told === null || told === family) return reading;
  return { type: 'unknown', kind: kindIn(reading), reason: `it was signed with a ${family} secret`, family: told };
}
