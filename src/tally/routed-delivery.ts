import type { Event, Premium } from '../ledger/event.ts';
import type { TestEvent } from './record-test.ts';
import type { ListingContext } from './tally.ts';

/** What a trusted delivery says, and to whom. Plain data: it can wait in a queue and cross to another thread. */
export type RoutedDelivery =
  | { readonly type: 'event'; readonly event: Event; readonly listing: ListingContext }
  | { readonly type: 'test'; readonly test: TestEvent; readonly listing: ListingContext }
  /** An event of an order that is for one of these listings, without a word which; what is known of the order tells. */
  | { readonly type: 'of order'; readonly event: Premium; readonly listings: readonly ListingContext[] }
  /** Signed but not understood. The listing is named where only one can be meant. */
  | {
      readonly type: 'unclear';
      readonly kind: string | null;
      readonly reason: string;
      readonly listing: string | null;
    };

/** Why a delivery is unclear although all that it says is understood. */
export const noListingReason = 'no configured listing is meant by it';
/** Why a purchase or renewal is unclear of which only the buyer is known. */
export const noRecipient = 'it may be a gift, but names no recipient that can be read';
