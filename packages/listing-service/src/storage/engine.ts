import type { SqlDialect } from '@tallyhook/platform/database/dialect';
import type { PostgresTransactions } from '@tallyhook/platform/database/postgres-transactions';
import { TallyhookError } from '@tallyhook/platform/errors';
import type { Driver } from 'kysely';
import type { WebhookFamily } from '../webhooks/event-kinds.ts';

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
 * votes of a member, also by other processes, are decided one after the other. Rejects with {@link unknownListing}.
 */
export type RecordVote = (vote: NewVoteRecord) => Promise<VoteRecordResult>;

/** The listing does not exist, or is being deleted. */
export function unknownListing(cause?: unknown): TallyhookError {
  return new TallyhookError('unknown_listing', 'The listing does not exist any more.', { cause });
}

/** Executes one statement at once. */
export type Execute = (text: string, parameters: readonly unknown[]) => unknown[];

interface SharedEngine {
  readonly dialect: SqlDialect;
  readonly driver: Driver;
  readonly recordVote: RecordVote;
  /** Closes all connections. To be called once, when nothing is running. */
  close(): Promise<void>;
}

export interface SqliteEngine extends SharedEngine {
  readonly name: 'sqlite';
  /** Reads outside a transaction; null if reads have to wait for transactions. */
  readonly readNow: Execute | null;
  /**
   * Runs `work` in a transaction, without a turn of the event loop between its statements, possibly several times.
   * Rejects with what it throws, or a StoreUnavailableError.
   */
  transact<Result>(work: (execute: Execute) => Result): Promise<Result>;
}

export interface PostgresEngine extends SharedEngine {
  readonly name: 'postgres';
  /** The connections of this process that are open and idle, and the requests that wait for one. */
  connections(): { readonly open: number; readonly idle: number; readonly waiting: number };
  /** Runs one statement outside a transaction. Rejects with a StoreUnavailableError if the server does not respond. */
  run(text: string, parameters: readonly unknown[]): Promise<unknown[]>;
  /**
   * Runs `work` in a transaction of a connection. Statements need not wait for the responses to earlier ones. After a
   * deadlock or another conflict, `work` runs again. Rejects with what it throws, or a StoreUnavailableError.
   */
  transact<Result>(work: (transaction: PostgresTransactions) => Promise<Result>): Promise<Result>;
}

/** The two databases, by their own means: for the few statements that are not the same in both. */
export type Engine = SqliteEngine | PostgresEngine;
