/** The attempt failed; retry later. */
export interface RetryLater {
  readonly outcome: 'later';
  readonly reason: string;
  /** The delay that Discord requires (ms), if it gave one. */
  readonly retryAfterMs?: number;
  /**
   * `global`: every other effect would fail too. `community`: perhaps only those of the same community. `effects`: only
   * these effects, or their queue if Discord requires a delay.
   */
  readonly scope: 'global' | 'community' | 'effects';
  /**
   * The message was certainly not sent. Otherwise the result is unknown: the request may have arrived without a
   * response.
   */
  readonly notSent?: true;
  /**
   * Set if everything else about the same channel or role would fail until somebody changes it in Discord: the effects
   * wait for `target`, and none is attempted before `retryAfterMs`, and are buried at the age of `maxAgeMs` (ms).
   */
  readonly stop?: { readonly target: string; readonly maxAgeMs: number };
}

/** The result of an attempt to carry out effects. Expected outcomes are values, not errors. */
export type AttemptResult =
  | { readonly outcome: 'done' }
  | RetryLater
  /** Rejected as one message: send each effect in its own message to find the invalid one. */
  | { readonly outcome: 'split'; readonly reason: string }
  /** Can never succeed. */
  | { readonly outcome: 'bury'; readonly reason: string };
