/** A channel or role for which Discord rejects everything. Times are ms since the epoch. */
export interface OpenCircuit {
  /** The id of a channel, or `role <guild> <role>`. */
  readonly target: string;
  /** Null if it is not known. */
  readonly guildId: string | null;
  /** Discord's error code. */
  readonly code: number;
  /** With a hint for the owner. */
  readonly reason: string;
  readonly openedAt: number;
  /** When one request may be sent, to find out whether it is accepted again. */
  readonly probeAt: number;
}

/** The rejected requests of a guild. */
export interface GuildRejections {
  readonly guildId: string;
  readonly count: number;
}

/** What the processes of an installation share about rejected requests. Rejects as the store does. */
export interface CircuitStore {
  all(): Promise<readonly OpenCircuit[]>;
  /** Adds or replaces open circuits, and deletes those of `closed` targets. */
  save(open: readonly OpenCircuit[], closed: readonly string[]): Promise<void>;
  /** Adds to the counts of a minute (minutes since the epoch). */
  addRejections(minute: number, counts: readonly GuildRejections[]): Promise<void>;
  /** The sums of the counts from one minute to another, both included. */
  rejections(from: number, until: number): Promise<readonly GuildRejections[]>;
}
