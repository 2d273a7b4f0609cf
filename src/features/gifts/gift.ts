import { addedValue } from '../../core/added-value.ts';
import type { AccountId, CommunityId } from '../../core/ledger/account.ts';
import type { Entry } from '../../core/ledger/entry.ts';

/**
 * How many credits a member may give away in a calendar day, null if members give none: of the rules of a listing, which
 * those of one guild share.
 */
export const giftLimitRule = addedValue<number | null>('giftLimit', null);

/** A confirmed gift of one member to another one. Plain data. */
export interface Gift {
  /** The id of the interaction that showed the confirmation. Each is one gift, however often it is confirmed. */
  readonly confirmationId: string;
  readonly communityId: CommunityId;
  readonly giverId: string;
  readonly receiverId: string;
  /** Whole credits, at least 1. */
  readonly credits: number;
}

/** How much a member may give in the current day of the community. */
export interface GiftAllowance {
  /** Credits. */
  readonly limit: number;
  /** The start of the day (ms since the epoch). */
  readonly since: number;
}

/**
 * Why a gift is not made. `over_limit`: with it, the member would have given more than the limit of the day. `overdrawn`:
 * it is more than the balance.
 */
export type GiftRejection = 'over_limit' | 'overdrawn';

/** Checks whether a member may give so much now. @param given what the member has given in the day (credits) */
export function rejectionOf(
  credits: number,
  { limit, given, balance }: { readonly limit: number; readonly given: number; readonly balance: number },
): GiftRejection | null {
  if (given + credits > limit) return 'over_limit';
  return credits > balance ? 'overdrawn' : null;
}

/** The two entries of a gift. The reasons name the other member, as `to ID` and `from ID`. */
export function giftEntries(
  { giverId, receiverId, credits }: Gift,
  accounts: { readonly giver: AccountId; readonly receiver: AccountId },
  at: number,
): { readonly taken: Entry; readonly given: Entry } {
  const common = { cause: 'gift', listing: null, at, deliveryId: null, untimed: false, achievement: null } as const;
  return {
    taken: { ...common, accountId: accounts.giver, credits: 0 - credits, reason: `to ${receiverId}` },
    given: { ...common, accountId: accounts.receiver, credits, reason: `from ${giverId}` },
  };
}
