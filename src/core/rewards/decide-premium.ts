import type { Premium } from '../../webhook/event.ts';
import type { Grant } from './grant.ts';
import { type PremiumOrder, premiumGrants } from './premium-role.ts';
import { decidePremiumReward, type RewardEntry } from './reward.ts';
import type { ListingRewards } from './rules.ts';

export interface PremiumContext {
  /** The rewards of the listing that the order is for. */
  readonly rewards: ListingRewards;
  /** The order before the event; null if it is new, or the event names no order. */
  readonly before: PremiumOrder | null;
  /** The order after the event; null if the event names no order. */
  readonly after: PremiumOrder | null;
}

export interface PremiumDecision {
  /** For the holder, the recipient of a gift. Empty for an expiry and a revocation. */
  readonly entries: readonly RewardEntry[];
  readonly grants: readonly Grant[];
}

/**
 * The rewards of a purchase, renewal, expiry or revocation. Multipliers do not apply. The role follows from the order
 * alone, so that it is right whatever the order of arrival.
 *
 * @param event with the holder of its order as `userId`
 */
export function decidePremium(event: Premium, { rewards, before, after }: PremiumContext): PremiumDecision {
  const decision = decidePremiumReward(event, rewards.base, before?.state === 'revoked');
  const grants = premiumGrants(rewards.premiumRoles, before, after);
  if (decision === null) return { entries: [], grants };
  return { entries: [{ ...decision, achievement: null }], grants };
}
