import type { ListingRewards, Milestone, Multiplier } from '../src/core/rewards/rules.ts';
import { type ShopItem, withoutCodes } from '../src/core/rewards/shop-item.ts';
import { toDurationText } from '../src/platform/duration-text.ts';
import { weekdayName } from './weekdays.ts';

/** Rewards as in the file of `TALLYHOOK_CONFIG` (JSON). What is switched off is null. */
export function rewardsInFile(rewards: ListingRewards) {
  const { base, multipliers, streak, milestones, milestoneRoles, voterRole, premiumRoles, allListings, party } =
    rewards;
  return {
    vote: base.perVote,
    premium: base.perPremium,
    whenDenied: base.whenDenied,
    multipliers: multipliers.map(multiplierInFile),
    streak,
    milestones: milestones.map(milestoneInFile),
    milestoneRoles,
    voterRole: voterRole && { role: voterRole.role, for: toDurationText(voterRole.forMs) },
    premiumRoles,
    allListings,
    party,
  };
}

function multiplierInFile({ factor, days, from, until, role }: Multiplier) {
  return {
    factor,
    ...(days && { days: days.map(weekdayName) }),
    ...(from !== null && { from: new Date(from).toISOString() }),
    ...(until !== null && { until: new Date(until).toISOString() }),
    ...(role !== null && { role }),
  };
}

function milestoneInFile({ votes, repeats, credits, role }: Milestone) {
  return { [repeats === 'every' ? 'everyVotes' : 'votes']: votes, credits, ...(role !== null && { role }) };
}

/** A shop item as in the file, with `codeCount` in place of the codes. */
export function shopItemInFile(item: ShopItem) {
  const { id, name, price, role, forMs, codeCount, manual, stock, needsRole } = withoutCodes(item);
  return {
    id,
    name,
    price,
    ...(role !== null && { role }),
    ...(forMs !== null && { for: toDurationText(forMs) }),
    ...(codeCount !== null && { codeCount }),
    ...(manual && { manual }),
    ...(stock !== null && { stock }),
    ...(needsRole !== null && { needsRole }),
  };
}
