import type { AccountId } from '../../core/ledger/account.ts';
import type { Entry } from '../../core/ledger/entry.ts';
import type { StoredGrant } from '../../core/rewards/grant.ts';
import type { PublicShopItem, ShopItem } from './item.ts';

/**
 * `confirmed`: paid, and the buyer does not have the item yet. `fulfilled`: the buyer has it. `refunded`: the price was
 * paid back, and the item is in stock again.
 */
export type PurchaseState = 'confirmed' | 'fulfilled' | 'refunded';

/**
 * Why an item is not sold. `unknown_item`: the settings do not contain it. `already_owned`: the member has the role for
 * good. `not_ready`: nobody can get it until the team has changed something.
 */
export type PurchaseRejection =
  | 'unknown_item'
  | 'price_changed'
  | 'role_required'
  | 'already_owned'
  | 'not_ready'
  | 'sold_out'
  | 'overdrawn';

/** Everything that a purchase depends on, apart from the item. */
export interface PurchaseContext {
  /** The price that the buyer confirmed (credits). */
  readonly confirmedPrice: number;
  /** The buyer's balance (credits). */
  readonly balance: number;
  /** How often the item can still be bought; null for no limit. */
  readonly left: number | null;
  /** The buyer's roles in Discord (ids). */
  readonly roles: readonly string[];
  /** The buyer's grants. */
  readonly grants: readonly Pick<StoredGrant, 'role' | 'source' | 'until'>[];
  /** Whether nothing is missing that the team has to set up. */
  readonly isReady: boolean;
  /** ms since the epoch. */
  readonly now: number;
}

export type PurchaseDecision =
  | { readonly rejection: PurchaseRejection }
  | {
      readonly rejection: null;
      readonly state: 'confirmed' | 'fulfilled';
      /** When the role ends (ms since the epoch); null if it does not end, or the item is not a role. */
      readonly until: number | null;
    };

/** Whether an item is sold to a member, and what the member gets. */
export function decidePurchase(item: PublicShopItem, context: PurchaseContext): PurchaseDecision {
  const rejection = rejectionOf(item, context);
  if (rejection !== null) return { rejection };
  // A code is shown at once. A role is fulfilled by Discord, everything else by the owner.
  const state = item.codeCount === null ? 'confirmed' : 'fulfilled';
  return { rejection, state, until: roleEnd(item, context) };
}

export function grantSource(purchaseId: number): string {
  return `${sourcePrefix}${purchaseId}`;
}

const sourcePrefix = 'shop ';

function rejectionOf(item: PublicShopItem, context: PurchaseContext): PurchaseRejection | null {
  const { confirmedPrice, balance, left, roles, isReady } = context;
  if (!isReady) return 'not_ready';
  if (item.price !== confirmedPrice) return 'price_changed';
  if (item.needsRole !== null && !roles.includes(item.needsRole)) return 'role_required';
  if (item.role !== null && isOwned(item.role, context)) return 'already_owned';
  if (left !== null && left <= 0) return 'sold_out';
  return balance < item.price ? 'overdrawn' : null;
}

/**
 * A role without a grant was given by somebody else. Sold for some days, it would be taken away at their end.
 */
function isOwned(role: string, { roles, grants }: PurchaseContext): boolean {
  const ofRole = grants.filter((grant) => grant.role === role);
  return ofRole.length === 0 ? roles.includes(role) : ofRole.some(({ until }) => until === null);
}

/** What was bought before is extended. Grants of other sources are not: a premium role can be revoked, for example. */
function roleEnd({ role, forMs }: PublicShopItem, { grants, now }: PurchaseContext): number | null {
  if (forMs === null) return null;
  const bought = grants.filter((grant) => grant.role === role && grant.source.startsWith(sourcePrefix));
  return Math.max(now, ...bought.map(({ until }) => until ?? now)) + forMs;
}

/** How often an item can still be bought; null for no limit. */
export function leftOf(
  { stock, codes }: Pick<ShopItem, 'stock' | 'codes'>,
  sold: number,
  unissued: number,
): number | null {
  const limits = [stock === null ? null : Math.max(0, stock - sold), codes === null ? null : unissued];
  const known = limits.filter((limit) => limit !== null);
  return known.length === 0 ? null : Math.min(...known);
}

export function purchaseEntry(accountId: AccountId, item: Pick<ShopItem, 'name' | 'price'>, at: number): Entry {
  return { ...shopEntry(accountId, item.name, at), cause: 'purchase', credits: 0 - item.price };
}

export function refundEntry(accountId: AccountId, item: Pick<ShopItem, 'name' | 'price'>, at: number): Entry {
  return { ...shopEntry(accountId, item.name, at), cause: 'refund', credits: item.price };
}

function shopEntry(accountId: AccountId, reason: string, at: number) {
  return { accountId, listing: null, reason, at, deliveryId: null, untimed: false, achievement: null };
}
