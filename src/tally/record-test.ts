import type { EventKind } from '../ledger/event.ts';
import { channelFor } from './announcement.ts';
import { alreadyReplayed } from './dealt-with.ts';
import type { Delivery, DeliveryRowWriter, ListingContext, RecordedDelivery, Tally } from './tally.ts';

/** What the dashboard's test button sent. Nothing in it but its kind is taken at its word. */
export interface TestEvent {
  readonly kind: EventKind;
  readonly userId: string | null;
}

/** A test is logged and announced as one each time it comes; it pays and counts nothing. */
export async function recordTest(
  tally: Tally,
  test: TestEvent,
  listing: ListingContext,
  delivery: Delivery,
  { at, write: log }: DeliveryRowWriter,
): Promise<RecordedDelivery> {
  const row = { ...delivery, listing: listing.name, kind: test.kind, outcome: 'test', userId: test.userId } as const;
  const deliveryId = await log({ ...row, reason: null, credits: 0, eventKey: null });
  if (deliveryId === null) return alreadyReplayed;
  const channelId = channelFor(delivery.family, listing);
  if (channelId !== null) {
    const announcement = {
      event: test.kind,
      test: true,
      listing: listing.name,
      userId: test.userId,
      credits: 0,
      balance: null,
      reason: null,
      at: delivery.receivedAt,
      nextVoteAt: null,
      tier: null,
      giftedBy: null,
    };
    await tally.enqueue({ deliveryId, kind: 'announcement', channelId, announcement, createdAt: at });
  }
  return { outcome: 'test', deliveryId, credits: 0, reason: null };
}
