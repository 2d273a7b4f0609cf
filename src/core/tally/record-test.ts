import { testAnnouncementOf } from './announcement.ts';
import type { ListingContext } from './listing-context.ts';
import { channelFor } from './queues.ts';
import {
  alreadyReplayed,
  type Delivery,
  type DeliveryRowWriter,
  type RecordedDelivery,
  type Tally,
  type TestEvent,
} from './tally.ts';

/** Logs and announces every test delivery. A test pays nothing and is not counted as a vote. */
export function recordTest(
  tally: Tally,
  test: TestEvent,
  listing: ListingContext,
  delivery: Delivery,
  { effectsCreatedAt, writeRow }: DeliveryRowWriter,
): RecordedDelivery {
  const row = { ...delivery, listing: listing.name, kind: test.kind, outcome: 'test', userId: test.userId } as const;
  const deliveryId = writeRow({ ...row, reason: null, credits: 0, eventKeys: [] });
  if (deliveryId === null) return alreadyReplayed;
  const channelId = channelFor(delivery.family, listing);
  if (channelId !== null) {
    const content = testAnnouncementOf(test, listing, delivery.receivedAt);
    tally.enqueue({ deliveryId, kind: 'announcement', queue: channelId, content, createdAt: effectsCreatedAt });
  }
  return { outcome: 'test', deliveryId, credits: 0, reason: null, isAnnounced: channelId !== null, causes: [] };
}
