import type { Grant } from './grant.ts';
import type { ListingRewards } from './rules.ts';

/** What the role of a premium order depends on. */
export interface PremiumOrder {
  /** Any ID of the order, always the same one. */
  readonly id: string;
  /** The holder: the recipient of a gift, otherwise the buyer. Null if unknown. */
  readonly userId: string | null;
  readonly tier: string | null;
  readonly state: 'active' | 'expired' | 'revoked';
  /** The latest end of a paid period (ms since the epoch); null if unknown. */
  readonly periodEnd: number | null;
}

/** The role of a tier; null for none. A tier is named exactly; `*` is for all others and for orders without a tier. */
export function roleOfTier(premiumRoles: ListingRewards['premiumRoles'], tier: string | null): string | null {
  const named = tier !== null && Object.hasOwn(premiumRoles, tier) ? premiumRoles[tier] : undefined;
  return named ?? (Object.hasOwn(premiumRoles, '*') ? premiumRoles['*'] : undefined) ?? null;
}

/**
 * The role of an order for its holder: until the end of its period while it is active or expired, not at all after a
 * revocation. If the event changed the holder or the tier, the role of the previous one ends.
 *
 * @param at the time of the event (ms since the epoch), at which an expired order without a period ends
 */
export function premiumGrants(
  premiumRoles: ListingRewards['premiumRoles'],
  before: PremiumOrder | null,
  after: PremiumOrder | null,
  at: number,
): Grant[] {
  const previous = before === null ? null : grantOf(premiumRoles, before, at);
  const current = after === null ? null : grantOf(premiumRoles, after, at);
  const isReplaced = previous !== null && (previous.userId !== current?.userId || previous.role !== current.role);
  return [...(isReplaced ? [{ ...previous, until: 0 }] : []), ...(current === null ? [] : [current])];
}

/** The source of the grants of an order. */
export function premiumSource(orderId: string): string {
  return `premium ${orderId}`;
}

function grantOf(premiumRoles: ListingRewards['premiumRoles'], order: PremiumOrder, at: number): Grant | null {
  const { id, userId, tier } = order;
  const role = roleOfTier(premiumRoles, tier);
  if (role === null || userId === null) return null;
  return { userId, role, source: premiumSource(id), until: endOf(order, at), change: 'replace' };
}

function endOf({ state, periodEnd }: PremiumOrder, at: number): number | null {
  if (state === 'revoked') return 0;
  return state === 'expired' ? (periodEnd ?? at) : periodEnd;
}
