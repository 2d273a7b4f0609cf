import type { Event, Premium } from '../ledger/event.ts';
import type { TestEvent } from './record-test.ts';
import type { TalliedListing } from './tally.ts';

/** What a trusted delivery says, and to whom. Plain data: it can wait in a queue and cross to another thread. */
export type Meaning =
  | { readonly is: 'event'; readonly event: Event; readonly listing: TalliedListing }
  | { readonly is: 'test'; readonly test: TestEvent; readonly listing: TalliedListing }
  /** An event of an order that is for one of these listings, without a word which; what is known of the order tells. */
  | { readonly is: 'of order'; readonly event: Premium; readonly listings: readonly TalliedListing[] }
  /** Signed but not understood. The listing is named where only one can be meant. */
  | { readonly is: 'unclear'; readonly kind: string | null; readonly reason: string; readonly listing: string | null };

/** Why a delivery is unclear although all that it says is understood. */
export const noListing = 'no configured listing is meant by it';
/** Why a purchase or renewal is unclear of which only the buyer is known. */
export const noRecipient = 'it may be a gift, but names no recipient that can be read';
