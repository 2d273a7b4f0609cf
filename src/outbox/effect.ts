/** What an announcement says. All that is needed is in here, so that announcing asks no other table. */
export interface Announcement {
  /** What happened, in the words of the payload (`server_vote`, `subscription.renewed`, …). */
  readonly event: string;
  /** A delivery of the dashboard's test button: says so, pays nothing. */
  readonly test: boolean;
  /** The name of the configured listing. */
  readonly listing: string;
  /** The voter or the one who holds the purchase; null where the event names nobody. */
  readonly userId: string | null;
  /** What this event paid (credits). */
  readonly credits: number;
  /** The balance after it (credits); null where nobody holds one. */
  readonly balance: number | null;
  /** Why it paid nothing or less: `within_cooldown` or the service's own words; null when all is well. */
  readonly reason: string | null;
  /** When it happened (ms since the epoch). */
  readonly at: number;
  /** When the voter may vote again (ms since the epoch); null for all that is no vote. */
  readonly nextVoteAt: number | null;
  /** The tier that was bought, in the service's words. */
  readonly tier: string | null;
  /** Who paid for a gift. */
  readonly giftedBy: string | null;
}

/** `waiting`: to be done, or under way. `buried`: never tried again, unless the owner replays it. */
export type EffectState = 'waiting' | 'done' | 'buried';

/** Something still to be done for an event. */
export interface Effect {
  readonly id: number;
  readonly deliveryId: number;
  readonly kind: 'announcement';
  /** Where it goes: the channel's id. */
  readonly channelId: string;
  readonly announcement: Announcement;
  /** How often it was begun. */
  readonly attempts: number;
  /** When it was written (ms since the epoch). */
  readonly createdAt: number;
  /** Shared by all effects that go out in one message, and the message's nonce: a repeat of it is the same message. */
  readonly nonce: string;
  /**
   * When the first of the earlier attempts began of which nobody knows whether it succeeded (ms since the epoch): since then it may be
   * done. Null when it surely is not.
   */
  readonly possiblySentSince: number | null;
}

/** Not now: try again. Where nothing more is said it is a matter of these effects alone. */
export interface RetryLater {
  readonly outcome: 'later';
  readonly reason: string;
  /** How long the channel has to rest (ms), where Discord says so. */
  readonly retryAfterMs?: number;
  /** Nothing else would succeed either. */
  readonly everything: boolean;
  /** It surely was not done. Without it nobody knows: the request may have arrived although no answer came. */
  readonly surelyNotDone?: true;
}

/** What became of an attempt. Foreseen outcomes are values. */
export type AttemptResult =
  | { readonly outcome: 'done' }
  | RetryLater
  /** Refused as one message: each has to go alone, to find the one at fault. */
  | { readonly outcome: 'split'; readonly reason: string }
  /** Can never succeed. */
  | { readonly outcome: 'bury'; readonly reason: string };

/** Does one message's worth of effects, all of the same channel and nonce. Never throws. */
export type EffectHandler = (effects: readonly Effect[]) => Promise<AttemptResult>;
