import { alreadyReplayed } from './dealt-with.ts';
import type { RoutedDelivery } from './routed-delivery.ts';
import type { Delivery, DeliveryRowWriter, RecordedDelivery } from './tally.ts';

/** Kept whole until it is understood: a vote is never lost because its shape was new. */
export async function quarantine(
  delivery: Delivery,
  { kind, reason, listing }: Omit<RoutedDelivery & { type: 'unclear' }, 'type'>,
  { write: log }: DeliveryRowWriter,
): Promise<RecordedDelivery> {
  const unpaid = { userId: null, credits: 0, eventKey: null };
  const deliveryId = await log({ ...delivery, listing, kind, outcome: 'quarantined', reason, ...unpaid });
  return deliveryId === null ? alreadyReplayed : { outcome: 'quarantined', deliveryId, credits: 0, reason };
}
