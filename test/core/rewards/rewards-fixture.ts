import { createCalendar } from '../../../src/core/rewards/calendar.ts';
import { decideVote, type VoteContext } from '../../../src/core/rewards/decide-vote.ts';
import { emptyHistory, type VoteHistory } from '../../../src/core/rewards/history.ts';
import type { Grant, RewardEntry } from '../../../src/core/rewards/reward.ts';
import { plainRewards as creditsOnly, type ListingRewards, type Multiplier } from '../../../src/core/rewards/rules.ts';
import { partyRules } from '../../../src/features/party/rules.ts';
import type { Vote } from '../../../src/webhook/event.ts';
import { premiumOf, voteOf } from '../../support/record-vote.ts';

const hour = 3_600_000;

/** Pays 10 credits per vote and 100 per premium, and nothing else. */
export const plainRewards: ListingRewards = creditsOnly({
  perVote: 10,
  perPremium: 100,
  whenDenied: 0,
  cooldownMs: 12 * hour,
});

/** Multiplies always. */
export const double: Multiplier = { factor: 2, days: null, from: null, until: null, role: null };

/** Every rule of the example in the documentation. */
export const allRewards: ListingRewards = {
  ...plainRewards,
  multipliers: [
    { ...double, days: [6, 7] },
    { ...double, from: Date.parse('2026-12-01T00:00:00Z'), until: Date.parse('2026-12-08T00:00:00Z') },
    { ...double, factor: 1.5, role: '40' },
  ],
  streak: { every: 7, credits: 50, forgive: 1 },
  milestones: [
    { votes: 10, repeats: 'once', credits: 100, role: '10' },
    { votes: 100, repeats: 'every', credits: 500, role: null },
  ],
  voterRole: { role: '20', forMs: 12 * hour },
  premiumRoles: { Gold: '30', '*': '31' },
  allListings: 20,
  firstVote: 5,
  ...partyRules.as({ goal: 100, per: 'week', credits: 25 }),
};

const noon = Date.parse('2026-01-07T12:00:00Z');
const target = { kind: 'server', id: '1' } as const;
export const vote = voteOf({ userId: '123', target, at: noon });

export const purchase = premiumOf({
  ...{ userId: '123', target, orderIds: ['order-1'], tier: 'Gold', at: noon },
  periodEnd: Date.parse('2026-02-07T12:00:00Z'),
});

const calendar = createCalendar('Europe/Berlin');

/** A vote for `server` outside the cooldown, in Berlin, on Wednesday 2026-01-07 at noon UTC. */
export function voteContext(context: Partial<VoteContext> = {}): VoteContext {
  return {
    listing: 'server',
    rewards: plainRewards,
    communityListings: ['server', 'bot'],
    calendar,
    at: Date.parse('2026-01-07T12:00:00Z'),
    withinCooldown: false,
    roles: new Set(),
    outageDays: new Set(),
    ...context,
  };
}

const day = 86_400_000;

/** A vote with the parts of its context that differ. */
export type CastVote = Partial<VoteContext> & { readonly event?: Vote };

/** Decides votes in the given order. */
export function decideAll(votes: readonly CastVote[], start: VoteHistory = emptyHistory) {
  let history = start;
  const entries: RewardEntry[] = [];
  const grants: Grant[] = [];
  for (const { event = vote, ...context } of votes) {
    const decision = decideVote(history, event, voteContext(context));
    // As the store does.
    history = JSON.parse(JSON.stringify(decision.history));
    entries.push(...decision.entries);
    grants.push(...decision.grants);
  }
  const total = entries.reduce((sum, { credits }) => sum + credits, 0);
  return { history, entries, grants, total };
}

/** One vote on each of the following days at noon, starting with Wednesday 2026-01-07. */
export function daily(days: number, context: CastVote = {}): CastVote[] {
  return Array.from({ length: days }, (_, index) => ({ ...context, at: voteContext().at + index * day }));
}

/** The entries apart from those of the votes themselves. */
export function extras(entries: readonly RewardEntry[]) {
  return entries.filter(({ cause }) => cause !== 'vote' && cause !== 'denied');
}
