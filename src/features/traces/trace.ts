import type { Cause, ProgramKey } from '../../core/ledger/entry.ts';

/** Traces of the deliveries of a member, for managers. Rejects with the errors of the store. */
export interface Traces {
  trace(userId: string): Promise<Trace>;
}

/** The newest records of a member. Reasons are external text, or English. Times are ms since the epoch. */
export interface Trace {
  /** Newest first. */
  readonly deliveries: readonly TracedDelivery[];
  /** Credits that no delivery caused, such as claims and corrections; newest first. */
  readonly entries: readonly TracedEntry[];
  readonly roles: readonly TracedRole[];
}

export interface TracedDelivery {
  readonly receivedAt: number;
  /** The name of the configured listing; null if it is unknown. */
  readonly listing: string | null;
  /**
   * `aheadOfTime`: quarantined only until its timestamp is reached; `unconfirmed`: only until its site confirms the
   * vote.
   */
  readonly outcome: 'recorded' | 'duplicate' | 'test' | 'quarantined' | 'aheadOfTime' | 'unconfirmed' | 'ignored';
  /** Why it was quarantined. */
  readonly reason: string | null;
  /** The entry of the event itself; null if it never pays, or was not recorded. */
  readonly entry: TracedEntry | null;
  /** The effects of the delivery, oldest first. */
  readonly effects: readonly TracedEffect[];
}

export interface TracedEntry extends ProgramKey {
  readonly cause: Cause;
  readonly credits: number;
  readonly reason: string | null;
  readonly at: number;
}

export interface TracedEffect {
  /** A kind of the outbox, such as `announcement`. */
  readonly kind: string;
  readonly state: 'waiting' | 'done' | 'buried';
  /** Why the last attempt failed; null if it did not. */
  readonly reason: string | null;
  /** The role that it changed (Discord ID); null for none. */
  readonly role: string | null;
}

export interface TracedRole {
  /** Discord ID. */
  readonly role: string;
  /** Null if it does not end. */
  readonly until: number | null;
  /** True if Discord matches: not yet, or not at all for now. */
  readonly state: 'applied' | 'pending' | 'parked';
}
