import type { ListingContext } from './listing-context.ts';

/** Why credits were moved with a pair of corrections. Stored in the entries, so it is never translated. */
export const separationReason = 'spent before accounts were per server';

/** How accounts are divided. Plain data. */
export interface Separation {
  /** The listings of other communities than the home one, whose entries are moved. */
  readonly moved: readonly ListingContext[];
  /** The listings of the home community. */
  readonly kept: readonly ListingContext[];
}
