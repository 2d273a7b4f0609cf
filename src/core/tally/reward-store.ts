import type { AccountId } from '../ledger/account-id.ts';
import type { MemberRole } from '../outbox/effect-contents.ts';
import type { PartyProgress } from '../rewards/party.ts';
import type { ListingContext } from './listing-context.ts';

/**
 * What Discord made of a role of a member: the member has it, has it no more, has left the server, or it cannot be
 * changed. `refused`: it was not given, but the member may have it from before.
 */
export type RoleResult = 'applied' | 'removed' | 'parked' | 'failed' | 'refused';

/** A role of a member (Discord IDs). */
export type GrantedRole = Pick<MemberRole, 'userId' | 'role'>;

/**
 * Rewards apart from recordings. Times are ms since the epoch. Methods that write reject with
 * {@link StoreUnavailableError} or TallyhookError `queue_full`, methods that only read with the driver's own error.
 */
export interface RewardStore {
  /** Whether a grant of the role lasts. */
  isGranted(role: GrantedRole, now: number): Promise<boolean>;
  /** Whether a grant of the role is stored, also one that has ended. */
  hasGrant(role: GrantedRole): Promise<boolean>;
  /** Whether the role was bought and the purchase is not settled yet. */
  isPaidFor(role: GrantedRole): Promise<boolean>;
  /**
   * Stores the result of an attempt at a role. If the grants have changed meanwhile so that the result is wrong,
   * enqueues another attempt. A purchase of the role is fulfilled by it, or refunded if Discord did not give the role.
   */
  settleRole(role: GrantedRole, result: RoleResult, now: number): Promise<void>;
  /** Enqueues the removal of roles whose grants have ended, at most `limit`. Returns how many. */
  endGrants(now: number, limit: number): Promise<number>;
  /** Enqueues the roles of a member again, to repair what was changed in Discord. */
  repairMember(userId: string, now: number): Promise<void>;
  /**
   * The same for the members that follow `userId` in the order of ids, until about `limit` roles. Returns the last
   * member; null at the end.
   */
  repairAfter(userId: string, limit: number, now: number): Promise<string | null>;
  /** The progress of a party by {@link partyKey}; without votes if nobody has voted in its period. */
  party(key: string): Promise<PartyProgress>;
  /** Stores which of the roles that a multiplier of the community names a member has (Discord IDs). */
  seeRoles(accountId: AccountId, roles: readonly string[]): Promise<void>;
  /**
   * Home accounts with votes but without a history, from before histories were kept; those after `accountId` in the
   * order of ids.
   */
  accountsWithoutHistory(accountId: string, limit: number): Promise<readonly AccountId[]>;
  /** Computes the history of an account from its votes. */
  completeHistory(accountId: AccountId, listing: ListingContext, now: number): Promise<void>;
}
