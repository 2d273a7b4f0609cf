import type { Premium } from '../../webhook/event.ts';
import type { Grant } from './grant.ts';
import { decidePremiumReward, type RewardEntry } from './reward.ts';
import type { ListingRewards } from './rules.ts';

/** A premium order, as far as its role depends on it. */
export interface PremiumOrder {
  /** Any ID of the order, always the same one. */
  readonly id: string;
  /** The holder: the recipient of a gift, otherwise the buyer. Null while unknown, as of an active gift. */
  readonly userId: string | null;
  readonly tier: string | null;
  readonly state: 'active' | 'expired' | 'revoked';
  /** The latest end of a paid period (ms since the epoch); null if unknown. */
  readonly periodEnd: number | null;
}

/**
 * The rewards of a purchase, renewal, expiry or revocation: entries for the holder, the recipient of a gift, of which
 * an expiry and a revocation have none. Multipliers do not apply. The role follows from the order alone, so that it is
 * right whatever the order of arrival.
 *
 * @param event with the holder of its order as `userId`
 * @param context `rewards`: of the listing that the order is for; `before`: the order before the event, null if it is new;
 *   both orders are null if the event names none
 */
export function decidePremium(
  event: Premium,
  context: {
    readonly rewards: ListingRewards;
    readonly before: PremiumOrder | null;
    readonly after: PremiumOrder | null;
  },
): { readonly entries: readonly RewardEntry[]; readonly grants: readonly Grant[] } {
  const { rewards, before, after } = context;
  const decision = decidePremiumReward(event, rewards.base, before?.state === 'revoked');
  const entries = decision === null ? [] : [{ ...decision, achievement: null }];
  return { entries, grants: premiumGrants(rewards.premiumRoles, before, after) };
}

/** The role of a tier; null for none. A tier is named exactly; `*` is for all others and for orders without a tier. */
export function roleOfTier(premiumRoles: ListingRewards['premiumRoles'], tier: string | null): string | null {
  const named = tier !== null && Object.hasOwn(premiumRoles, tier) ? premiumRoles[tier] : undefined;
  return named ?? (Object.hasOwn(premiumRoles, '*') ? premiumRoles['*'] : undefined) ?? null;
}

/**
 * The role of an order for its holder: until the end of its period while it is active, not at all after it has expired
 * or was revoked. If the event changed the holder or the tier, the role of the previous one ends.
 */
function premiumGrants(
  premiumRoles: ListingRewards['premiumRoles'],
  before: PremiumOrder | null,
  after: PremiumOrder | null,
): Grant[] {
  const previous = before === null ? null : grantOf(premiumRoles, before);
  const current = after === null ? null : grantOf(premiumRoles, after);
  const isReplaced = previous !== null && (previous.userId !== current?.userId || previous.role !== current.role);
  return [...(isReplaced ? [{ ...previous, until: 0 }] : []), ...(current === null ? [] : [current])];
}

/** The source of the grants of an order. */
export function premiumSource(orderId: string): string {
  return `premium ${orderId}`;
}

function grantOf(premiumRoles: ListingRewards['premiumRoles'], order: PremiumOrder): Grant | null {
  const { id, userId, tier, state, periodEnd } = order;
  const role = roleOfTier(premiumRoles, tier);
  if (role === null || userId === null) return null;
  return { userId, role, source: premiumSource(id), until: state === 'active' ? periodEnd : 0, change: 'replace' };
}
