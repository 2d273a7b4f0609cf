import type { Event } from '../../webhook/event.ts';
import type { ListingContext } from './listing-context.ts';
import { recordPremium } from './record-premium.ts';
import { recordVote } from './record-vote.ts';
import type { Delivery, DeliveryRowWriter, RecordedDelivery, Tally } from './tally.ts';

/**
 * Writes the row, entries, account and effects of an event, inside the caller's transaction.
 * An event that is already recorded adds only a row to the delivery log.
 */
export function recordEvent(
  tally: Tally,
  event: Event,
  listing: ListingContext,
  delivery: Delivery,
  rowWriter: DeliveryRowWriter,
): RecordedDelivery {
  const context = { tally, listing, delivery, rowWriter };
  return event.family === 'vote' ? recordVote(event, context) : recordPremium(event, context);
}
