/** Votes that members report because no delivery of them has arrived. */
export interface Claims {
  /**
   * Asks the service for the member's last vote, and records it if the ledger does not have it. Rejects with a
   * LookupError if the service fails, and with the errors of the store.
   * @param listing its configured name
   */
  claim(listing: string, userId: string): Promise<ClaimOutcome>;
}

/** The outcome of a claim. Nothing was written unless it is `claimed`. Times are ms since the epoch. */
export type ClaimOutcome =
  /** `credits`: all that the vote earned; `balance`: with them. */
  | { readonly type: 'claimed'; readonly at: number; readonly credits: number; readonly balance: number }
  /** The vote was recorded before. `denied`: the service denied its credits, with the service's `reason`. */
  | {
      readonly type: 'recorded';
      readonly at: number;
      readonly how: 'paid' | 'denied' | 'claimed';
      readonly credits: number;
      /** External text. */
      readonly reason: string | null;
    }
  /** The vote of `at` was too soon after, or before, a recorded one of `recordedAt`. */
  | { readonly type: 'withinCooldown'; readonly at: number; readonly recordedAt: number }
  /** The vote was paid to an account that was deleted on request of the member. */
  | { readonly type: 'forgotten' }
  /** The service knows no vote of the member. */
  | { readonly type: 'noVote' }
  /** The last vote is too old: only votes since `since` can be claimed. */
  | { readonly type: 'tooOld'; readonly at: number; readonly since: number }
  /** The service reports a running cooldown, but no time. */
  | { readonly type: 'unknownTime' }
  /** The site of the listing, by its name, does not say whether the member has voted. */
  | { readonly type: 'siteSilent'; readonly site: string };
