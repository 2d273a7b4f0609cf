import { type Meaning, noListing } from './meaning.ts';
import { quarantine } from './quarantine-delivery.ts';
import { recordEvent } from './record-event.ts';
import { recordTest } from './record-test.ts';
import type { Delivery, Filing, Recorded, Tally } from './tally.ts';

/**
 * The way in: each call is one transaction, and resolves once that is on disk. Calls that wait together commit
 * together; only one transaction writes at a time, over all processes, so that what it reads stays true until it is
 * committed. Rejects with {@link StoreUnavailable} when the store cannot commit, and with TallyhookError `queue_full`
 * when too many wait already; then nothing of it was kept.
 */
export interface Recorder {
  record(delivery: Delivery, meaning: Meaning): Promise<Recorded>;
  /** Records a quarantined delivery in the row that it has, `now` (ms since the epoch); a duplicate when it is quarantined no more. */
  rerecord(id: number, delivery: Delivery, meaning: Meaning, now: number): Promise<Recorded>;
}

/** The recorder's work, inside the caller's transaction. */
export function recorderIn(tally: Tally): Recorder {
  return {
    record: (delivery, meaning) =>
      record(tally, delivery, meaning, { at: delivery.receivedAt, log: (row) => tally.log(row) }),
    rerecord: (id, delivery, meaning, now) =>
      record(tally, delivery, meaning, { at: now, log: async (row) => ((await tally.relog(id, row)) ? id : null) }),
  };
}

function record(tally: Tally, delivery: Delivery, meaning: Meaning, filing: Filing): Promise<Recorded> {
  switch (meaning.is) {
    case 'event':
      return recordEvent(tally, meaning.event, meaning.listing, delivery, filing);
    case 'test':
      return recordTest(tally, meaning.test, meaning.listing, delivery, filing);
    case 'of order':
      return recordOfOrder(tally, meaning, delivery, filing);
    case 'unclear':
      return quarantine(delivery, meaning, filing);
  }
}

async function recordOfOrder(
  tally: Tally,
  { event, listings }: Meaning & { is: 'of order' },
  delivery: Delivery,
  filing: Filing,
): Promise<Recorded> {
  const order = await tally.findOrder(event.orderIds);
  const listing = listings.find(({ name }) => name === order?.listing);
  if (listing !== undefined) return recordEvent(tally, event, listing, delivery, filing);
  return quarantine(delivery, { kind: event.kind, reason: noListing, listing: null }, filing);
}
