import type { WebhookFamily } from './tables.ts';

/** A vote with the webhook delivery that it causes. Times are ms since the epoch. */
export interface NewVoteRecord {
  readonly listingId: string;
  readonly voter: { readonly userId: string; readonly username: string };
  readonly votedAt: number;
  /** Why no credits are due for the vote; null if they are. */
  readonly denialReason: string | null;
  /** The vote is not recorded if this user voted for this listing after this time. */
  readonly cooldownStart: number;
  /** Queued if the listing has a webhook for votes. */
  readonly delivery: {
    readonly id: string;
    readonly family: WebhookFamily;
    readonly event: string;
    /** The exact text that is signed and sent: JSON. */
    readonly body: string;
    readonly createdAt: number;
  };
}

export type VoteRecordResult =
  | { readonly recorded: true; readonly isQueued: boolean }
  | { readonly recorded: false; readonly lastVoteAt: number };

/**
 * Stores a vote, the current name of its member and its webhook delivery, or nothing during the cooldown. Concurrent
 * votes of a member, also by other processes, are decided one after the other.
 */
export type RecordVote = (vote: NewVoteRecord) => Promise<VoteRecordResult>;
