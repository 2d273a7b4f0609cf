import { type AccountScope, homeAccounts } from '../ledger/account-id.ts';
import { addPartyVote, partyPeriod } from '../rewards/party.ts';
import { calendarOf } from './community.ts';
import { updatePanel } from './party-panel.ts';
import type { ListingContext, Tally } from './tally.ts';

/** The key of a community's party in a period: the id of the period at home, with the guild's id before it elsewhere. */
export function partyKey(accounts: AccountScope, period: string): string {
  return accounts ? `${accounts} ${period}` : period;
}

/** The community and the id of the period of a party. */
export function partyOf(key: string): { readonly accounts: AccountScope; readonly period: string } {
  const [, accounts = homeAccounts, period = key] = /^(\d+) (.*)$/.exec(key) ?? [];
  return { accounts, period };
}

/** The key of the party that a vote at this time (ms since the epoch) belongs to; null without a party. */
export function partyPeriodAt({ rewards, community }: ListingContext, at: number): string | null {
  if (rewards.party === null) return null;
  return partyKey(community.accounts, partyPeriod(rewards.party.per, calendarOf(community).dayAt(at)).id);
}

/** A counted vote, and the delivery that reported it. */
interface PartyEvent {
  readonly listing: ListingContext;
  readonly userId: string;
  /** Time of the vote (ms since the epoch), and its calendar day (day number). */
  readonly at: number;
  readonly day: number;
  readonly deliveryId: number | null;
  /** The current time (ms since the epoch). */
  readonly now: number;
}

/**
 * Counts a vote for the party of its period. The rewards are paid by an effect, because the goal may be reached by
 * thousands of voters at once.
 */
export function countForParty(tally: Tally, { listing, userId, at, day, deliveryId, now }: PartyEvent): void {
  const rules = listing.rewards.party;
  if (rules === null) return;
  const calendarPeriod = partyPeriod(rules.per, day);
  const period = partyKey(listing.community.accounts, calendarPeriod.id);
  const party = tally.party(period);
  const { progress, payees } = addPartyVote(party, rules, at);
  const isEligible = progress.reachedAt === null || payees !== 'nobody';
  const reachesGoal = payees === 'all_voters';
  const panel = updatePanel(tally, party, {
    listing,
    rules,
    period: { ...calendarPeriod, id: period },
    reachesGoal,
    deliveryId,
    now,
  });
  tally.addPartyVote({ period, userId, isEligible, progress: { ...progress, panel } });
  if (payees === 'nobody') return;
  const { goal, credits } = rules;
  const { accounts } = listing.community;
  tally.enqueue({
    kind: 'partyReward',
    queue: accounts === homeAccounts ? 'party' : `party ${accounts}`,
    content: { period, goal, credits, day },
    deliveryId,
    createdAt: now,
  });
}
