import type { Clock } from '../clock.ts';
import type { Family } from '../ledger/event.ts';
import type { Recorder } from '../tally/recorder.ts';
import type { Delivery, Outcome, Recorded } from '../tally/tally.ts';
import { type Addressable, addressable } from './addressee.ts';
import { defaultVoteOf } from './default-vote.ts';
import { meaningOf } from './meaning-of.ts';
import { familyIn, kindIn, parseJson, type Reading, readPayload } from './payload.ts';

/** A delivery of the log, as a replay needs it. */
export interface KeptDelivery extends Delivery {
  readonly id: number;
  readonly listing: string | null;
  readonly outcome: Outcome;
}

/** Resolves after the commit; rejects as {@link Recorder} does. */
export type Replay = (delivery: KeptDelivery) => Promise<Recorded>;

/**
 * Reads a quarantined delivery once more, with what is understood today, as of the moment when it came; only its announcement begins now.
 * Its signature was checked then.
 * A delivery that is no longer quarantined is a duplicate of itself, and pays nothing.
 */
export function createReplay(options: {
  listings: readonly Addressable[];
  recorder: Recorder;
  clock: Clock;
  onRecorded?: (recorded: Recorded) => void;
}): Replay {
  const { listings, recorder, clock, onRecorded = () => {} } = options;

  return async (delivery) => {
    if (delivery.outcome !== 'quarantined') {
      return { outcome: 'duplicate', deliveryId: delivery.id, credits: 0, reason: 'already dealt with' };
    }
    const { id, family, receivedAt, body } = delivery;
    const named = listings.filter(({ name }) => name === delivery.listing);
    const meant = named.length > 0 ? named : listings;
    const grants = meant.map((listing) => ({ listing: addressable(listing), family }));
    const now = clock.now();
    const defaultVote = defaultVoteOf(grants, { signed: true });
    const reading = readPayload(parseJson(body)?.value, { premiumPath: family === 'premium', now, defaultVote });
    const meaning = meaningOf(ofFamily(family, reading), grants);
    const recorded = await recorder.rerecord(id, { receivedAt, family, body }, meaning, now);
    onRecorded(recorded);
    return recorded;
  };
}

/** What a later version reads in a body may be of another family than the secret that signed it, and then it is not to be paid. */
function ofFamily(family: Family, reading: Reading): Reading {
  const told = familyIn(reading);
  if (told === null || told === family) return reading;
  return { is: 'unknown', kind: kindIn(reading), reason: `it was signed with a ${family} secret`, family: told };
}
