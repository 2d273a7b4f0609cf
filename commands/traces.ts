/** What happened to the deliveries of a member, for managers. Rejects with the errors of the store. */
export interface Traces {
  trace(userId: string): Promise<Trace>;
}

/** The newest records of a member. All texts are plain, and may contain external text. Times are ms since the epoch. */
export interface Trace {
  /** Newest first. */
  readonly deliveries: readonly TracedDelivery[];
  /** Credits that no delivery caused, such as claims and corrections; newest first. */
  readonly entries: readonly { readonly at: number; readonly text: string }[];
  readonly roles: readonly TracedRole[];
}

export interface TracedDelivery {
  readonly id: number;
  readonly receivedAt: number;
  /** Why it paid, or did not. */
  readonly why: string;
  /** Oldest first. */
  readonly steps: readonly { readonly at: number; readonly text: string }[];
}

export interface TracedRole {
  /** Discord ID. */
  readonly role: string;
  /** Null if it does not end. */
  readonly until: number | null;
  /** Whether Discord matches: not yet, or not at all for now. */
  readonly state: 'applied' | 'pending' | 'parked';
}
