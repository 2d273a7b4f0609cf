import { quarantine } from './quarantine.ts';
import { recordEvent } from './record-event.ts';
import { recordTest } from './record-test.ts';
import { noListingReason, type RoutedDelivery } from './routed-delivery.ts';
import type { Delivery, DeliveryRowWriter, RecordedDelivery, Tally } from './tally.ts';

/**
 * The way in: each call is one transaction, and resolves once that is on disk. Calls that wait together commit
 * together; only one transaction writes at a time, over all processes, so that what it reads stays true until it is
 * committed. Rejects with {@link StoreUnavailable} when the store cannot commit, and with TallyhookError `queue_full`
 * when too many wait already; then nothing of it was kept.
 */
export interface Recorder {
  record(delivery: Delivery, meaning: RoutedDelivery): Promise<RecordedDelivery>;
  /** Records a quarantined delivery in the row that it has, `now` (ms since the epoch); a duplicate when it is quarantined no more. */
  recordReplay(id: number, delivery: Delivery, meaning: RoutedDelivery, now: number): Promise<RecordedDelivery>;
}

/** The recorder's work, inside the caller's transaction. */
export function recorderIn(tally: Tally): Recorder {
  return {
    record: (delivery, meaning) =>
      record(tally, delivery, meaning, { at: delivery.receivedAt, write: (row) => tally.insertDelivery(row) }),
    recordReplay: (id, delivery, meaning, now) =>
      record(tally, delivery, meaning, {
        at: now,
        write: async (row) => ((await tally.updateDelivery(id, row)) ? id : null),
      }),
  };
}

function record(
  tally: Tally,
  delivery: Delivery,
  meaning: RoutedDelivery,
  filing: DeliveryRowWriter,
): Promise<RecordedDelivery> {
  switch (meaning.type) {
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
  { event, listings }: RoutedDelivery & { type: 'of order' },
  delivery: Delivery,
  filing: DeliveryRowWriter,
): Promise<RecordedDelivery> {
  const order = await tally.findOrder(event.orderIds);
  const listing = listings.find(({ name }) => name === order?.listing);
  if (listing !== undefined) return recordEvent(tally, event, listing, delivery, filing);
  return quarantine(delivery, { kind: event.kind, reason: noListingReason, listing: null }, filing);
}
