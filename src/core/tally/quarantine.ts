import {
  alreadyReplayed,
  type Delivery,
  type DeliveryRowWriter,
  type RecordedDelivery,
  type RoutedDelivery,
} from './tally.ts';

/** A delivery in the quarantine. */
export interface QuarantinedDelivery extends Delivery {
  readonly id: number;
  readonly listing: string | null;
  readonly outcome: 'quarantined';
}

/** Logs an event of a listing site that neither pays nor counts. */
export function logIgnored(
  delivery: Delivery,
  { kind, listing }: Omit<RoutedDelivery & { type: 'ignored' }, 'type'>,
  { writeRow }: DeliveryRowWriter,
): RecordedDelivery {
  const unpaid = { userId: null, credits: 0, eventKeys: [], reason: null };
  const deliveryId = writeRow({ ...delivery, listing, kind, outcome: 'ignored', ...unpaid });
  if (deliveryId === null) return alreadyReplayed;
  return { outcome: 'ignored', deliveryId, credits: 0, reason: null, isAnnounced: false, causes: [] };
}

/** Stores a delivery complete until it can be processed, so that a vote in a new format is never lost. */
export function quarantineDelivery(
  delivery: Delivery,
  { kind, reason, listing }: Omit<RoutedDelivery & { type: 'quarantine' }, 'type'>,
  { writeRow }: DeliveryRowWriter,
): RecordedDelivery {
  const unpaid = { userId: null, credits: 0, eventKeys: [] };
  const deliveryId = writeRow({ ...delivery, listing, kind, outcome: 'quarantined', reason, ...unpaid });
  if (deliveryId === null) return alreadyReplayed;
  return { outcome: 'quarantined', deliveryId, credits: 0, reason, isAnnounced: false, causes: [] };
}
