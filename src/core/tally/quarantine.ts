import type { ListingIdentity } from './listing-identity.ts';
import {
  alreadyReplayed,
  type Delivery,
  type DeliveryRow,
  type DeliveryRowWriter,
  type RecordedDelivery,
  type RoutedDelivery,
} from './tally.ts';

/** A delivery in the quarantine. */
export interface QuarantinedDelivery extends Delivery {
  readonly id: number;
  readonly listing: string | null;
  readonly kind: string | null;
  readonly userId: string | null;
  readonly outcome: 'quarantined';
  /** The listings whose secret has authenticated it. */
  readonly origin: readonly ListingIdentity[];
}

/** Logs a delivery that pays nothing. */
export function writeUnpaid(
  row: Omit<DeliveryRow, 'credits' | 'eventKeys'>,
  { writeRow }: DeliveryRowWriter,
): RecordedDelivery {
  const { outcome, reason } = row;
  const deliveryId = writeRow({ ...row, credits: 0, eventKeys: [] });
  if (deliveryId === null) return alreadyReplayed;
  return { outcome, deliveryId, credits: 0, reason, isAnnounced: false, causes: [] };
}

/** Stores a delivery complete until it can be processed, so that a vote in a new format is never lost. */
export function quarantineDelivery(
  delivery: Delivery,
  { kind, reason, listing, userId = null }: Omit<RoutedDelivery & { type: 'quarantine' }, 'type' | 'origin'>,
  rowWriter: DeliveryRowWriter,
): RecordedDelivery {
  return writeUnpaid({ ...delivery, listing, kind, outcome: 'quarantined', reason, userId }, rowWriter);
}
