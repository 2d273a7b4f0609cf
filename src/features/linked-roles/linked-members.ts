import type { LastVotes } from '../../core/ledger/account.ts';
import type { AccountId } from '../../core/ledger/account-id.ts';
import type { StreakInDays } from '../../core/rewards/streak.ts';

/** The tokens of a member, encrypted. Discord: "OAuth2", "Access Token Response". */
export interface SealedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** When the access token expires (ms since the epoch). */
  readonly expiresAt: number;
}

/** A member who has linked their account. */
export interface LinkedMember extends SealedTokens {
  readonly userId: string;
  /** Discord's code of the member's language. */
  readonly locale: string;
}

/** What an account contributes to the values of its member. */
export interface LinkedAccount {
  readonly accountId: AccountId;
  readonly votes: number;
  readonly lastVotes: LastVotes;
  /** The streak after the latest vote. */
  readonly streak: StreakInDays;
}

/** What the values of a member are computed from: the accounts in all communities. */
export interface StoredValues {
  readonly userId: string;
  readonly accounts: readonly LinkedAccount[];
  /** Whether a premium order of the member is active. */
  readonly hasPremium: boolean;
  /** JSON of the values that Discord has; null before the first update. */
  readonly pushed: string | null;
}

/** `other_key`: the tokens are not encrypted with the current key of the database, and nothing was stored. */
export type SaveTokensResult =
  | { readonly status: 'saved' | 'not_linked' }
  | { readonly status: 'other_key'; readonly keyId: string };

/**
 * The members with linked roles. Times are ms since the epoch. Methods that write reject with
 * {@link StoreUnavailableError} or TallyhookError `queue_full`, methods that only read with the driver's own error.
 */
export interface LinkedMembers {
  /** The id of the key with which the secrets of the database are encrypted; null before the first secret. */
  keyId(): Promise<string | null>;
  /** Stores the member in place of an earlier link, marks the accounts, and enqueues an update. */
  link(member: LinkedMember, now: number): Promise<SaveTokensResult>;
  find(userId: string): Promise<LinkedMember | null>;
  /** Deletes the tokens, and the marks of the accounts. Returns whether the member was linked. */
  unlink(userId: string): Promise<boolean>;
  /**
   * Marks that an update begins, so that a vote from now on enqueues another one. Then returns what the values are
   * computed from; null if the member is not linked.
   * @param now decides which orders are active
   */
  beginUpdate(userId: string, now: number): Promise<StoredValues | null>;
  /** Notes the values that Discord has now. */
  saveUpdate(userId: string, pushed: string): Promise<void>;
  /**
   * Lets only one process at a time request new tokens, because each refresh token is valid once. Returns the member as
   * stored; null if another process is requesting, or the member is not linked.
   */
  leaseRefresh(userId: string, now: number, until: number): Promise<LinkedMember | null>;
  /** Stores new tokens and ends the lease. */
  saveTokens(userId: string, tokens: SealedTokens): Promise<SaveTokensResult>;
  /** Ends the lease without new tokens. */
  releaseRefresh(userId: string): Promise<void>;
  /** What the values of the next members are computed from, by user id. */
  valuesAfter(userId: string, now: number, limit: number): Promise<readonly StoredValues[]>;
  /**
   * Enqueues an update that no vote has asked for, unless one was enqueued after `unlessSince` and has not succeeded.
   * Returns whether it did.
   */
  requestUpdate(userId: string, now: number, unlessSince: number): Promise<boolean>;
}
