import type { AttemptResult } from '@tallyhook/platform/attempt-result';

/** `waiting`: not finished, possibly leased. `buried`: failed permanently; only the owner can requeue it. */
export type EffectState = 'waiting' | 'done' | 'buried';

/** The fields of every effect. */
export interface EffectRow {
  readonly id: number;
  /** The delivery that caused it; null without one. */
  readonly deliveryId: number | null;
  /** What is rate-limited together, such as the id of a channel. Effects of different queues do not delay each other. */
  readonly queue: string;
  /** Number of attempts started. */
  readonly attempts: number;
  /** When it was stored (ms since the epoch). */
  readonly createdAt: number;
  /** The nonce of the message, shared by all effects in it. Discord drops a repeated message with the same nonce. */
  readonly nonce: string;
  /**
   * Start of the earliest attempt whose result is unknown (ms since the epoch): it may have succeeded. Null when no
   * earlier attempt can have succeeded.
   */
  readonly possiblySentSince: number | null;
  /** W3C `traceparent` of the span of its delivery; missing without tracing. */
  readonly traceparent?: string;
}

/** A side effect that still has to be carried out, with contents as its {@link EffectKind} says. */
export interface Effect<Content extends object = object> extends EffectRow {
  readonly kind: string;
  readonly content: Content;
}

/** A stored effect that this version cannot read: of an unknown kind, or with invalid contents. */
export interface UnreadableEffect extends EffectRow {
  readonly kind: 'unreadable';
  /** Why it cannot be read. */
  readonly reason: string;
}

/** An effect as it is claimed. */
export type ClaimedEffect = Effect | UnreadableEffect;

/** The reason of a buried direct message that the member does not accept. */
export const directMessagesClosed = 'direct_messages_closed';

/** Carries out the effects of one claim: one effect, or the announcements of one message. Never throws. */
export type Perform = (effects: readonly ClaimedEffect[]) => Promise<AttemptResult>;
