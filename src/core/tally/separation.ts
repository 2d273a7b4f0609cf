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

/**
 * What holds for the whole installation. Methods that write reject with {@link StoreUnavailableError} or TallyhookError
 * `queue_full`, methods that only read with the driver's own error.
 */
export interface Installation {
  /**
   * The guild of the home community, whose accounts are stored under the ids of the members; null if its listings have no
   * guild. It is stored by the first call, so that another order of the settings moves nobody's credits. One that was not
   * known is replaced by the candidate, and so is one that is not configured any more, unless the candidate has accounts
   * of its own.
   *
   * @param candidate the guild of the first listing of the settings; null if it has none
   * @param configured the guilds of all listings of the settings
   */
  home(candidate: string | null, configured: readonly string[]): Promise<string | null>;
  /**
   * Moves the entries of listings of other communities from the home accounts of earlier versions to accounts of their
   * own. To be called before votes are received, and then regularly, because processes of an earlier version that still
   * run add others; for each listing until none was found for a week. May be interrupted, and then continues.
   * @returns the number of members whose accounts were divided
   */
  separate(separation: Separation, now: number): Promise<number>;
}
