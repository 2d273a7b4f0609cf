/** The contents of an announcement: all that is needed to post it without reading another table. */
export interface Announcement {
  /** The event type as in the payload (`server_vote`, `subscription.renewed`, …). */
  readonly event: string;
  /** Whether the dashboard's test button sent the delivery. A test pays nothing. */
  readonly test: boolean;
  /** The name of the configured listing. */
  readonly listing: string;
  /** The voter or the holder of the purchase; null when the event names nobody. */
  readonly userId: string | null;
  /** What this event paid (credits). */
  readonly credits: number;
  /** The balance after it (credits); null without a user. */
  readonly balance: number | null;
  /** Why it paid nothing or less: `within_cooldown` or the service's own text; null when it paid in full. */
  readonly reason: string | null;
  /** When it happened (ms since the epoch). */
  readonly at: number;
  /** When the voter may vote again (ms since the epoch); null unless the event is a vote. */
  readonly nextVoteAt: number | null;
  /** The purchased tier, as the service names it. */
  readonly tier: string | null;
  /** The user who paid for a gift. */
  readonly giftedBy: string | null;
}

/** `waiting`: not finished, possibly leased. `buried`: failed permanently; only the owner can requeue it. */
export type EffectState = 'waiting' | 'done' | 'buried';

/** A side effect of an event that still has to be carried out. */
export interface Effect {
  readonly id: number;
  readonly deliveryId: number;
  readonly kind: 'announcement';
  /** The id of the target channel. */
  readonly channelId: string;
  readonly announcement: Announcement;
  /** Number of attempts started. */
  readonly attempts: number;
  /** When it was stored (ms since the epoch). */
  readonly createdAt: number;
  /** The nonce of the message, shared by all effects in it. Discord drops a repeated message with the same nonce. */
  readonly nonce: string;
  /**
   * Start of the earliest attempt whose result is unknown (ms since the epoch): the message may have been sent since
   * then. Null when no earlier attempt can have sent it.
   */
  readonly possiblySentSince: number | null;
}

/** The attempt failed; retry later. */
export interface RetryLater {
  readonly outcome: 'later';
  readonly reason: string;
  /** The delay that Discord requires (ms), if it gave one. */
  readonly retryAfterMs?: number;
  /**
   * `global`: every other effect would fail too. `effects`: only these effects, or their channel if Discord requires a
   * delay.
   */
  readonly scope: 'global' | 'effects';
  /**
   * The message was certainly not sent. Otherwise the result is unknown: the request may have arrived without a
   * response.
   */
  readonly notSent?: true;
}

/** The result of an attempt. Expected outcomes are values, not errors. */
export type AttemptResult =
  | { readonly outcome: 'done' }
  | RetryLater
  /** Rejected as one message: send each effect in its own message to find the invalid one. */
  | { readonly outcome: 'split'; readonly reason: string }
  /** Can never succeed. */
  | { readonly outcome: 'bury'; readonly reason: string };

/** Carries out the effects of one message, which share channel and nonce. Never throws. */
export type EffectHandler = (effects: readonly Effect[]) => Promise<AttemptResult>;
