import { newEffect } from '../../core/outbox/effect-kind.ts';
import { planKey } from '../../core/outbox/outbox.ts';
import { queueName } from '../../core/outbox/queue.ts';
import type { HotKey } from '../../core/store/recording/hot-table.ts';
import { calendarOf } from '../../core/tally/community.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import type { CountedVote, Tally } from '../../core/tally/tally.ts';
import { partyPanelKind, partyReachedKind, partyRewardKind } from './effects.ts';
import {
  isPanelWaiting,
  type PartyPanelState,
  type PartyState,
  panelIntervalMs,
  panelKey,
  parties,
  partyVoters,
  toPartyState,
  withPartyState,
} from './hot-tables.ts';
import {
  addPartyVote,
  type PartyPeriod,
  type PartyRules,
  partyAnnounced,
  partyKey,
  partyPeriod,
  partyPeriodAt,
  partyRules,
} from './rules.ts';

export function partyRow({ listing, at }: { readonly listing: ListingContext; readonly at: number }): HotKey | null {
  const key = partyPeriodAt(listing, at);
  return key === null ? null : { table: parties, key };
}

/**
 * Counts a vote for the party of its period. The rewards are paid by an effect, because the goal may be reached by
 * thousands of voters at once.
 */
export function countForParty(tally: Tally, { listing, account, at, day, deliveryId, now }: CountedVote): void {
  const rules = partyRules.in(listing.rewards);
  if (!rules) return;
  const calendarPeriod = partyPeriod(rules.per, day);
  const period = partyKey(listing.community.id, calendarPeriod.id);
  const row = tally.rowOf(parties, period);
  const party = toPartyState(row);
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
  tally.saveRow(parties, withPartyState(row, { ...progress, panel }));
  tally.saveRow(partyVoters, { period, user_id: account.userId, state: isEligible ? 'eligible' : 'late' });
  if (payees === 'nobody') return;
  const { goal, credits } = rules;
  const { id: communityId } = listing.community;
  const queue = queueName('party', communityId, 'rewards');
  const content = { period, goal, credits, day };
  tally.enqueue(newEffect(partyRewardKind, { queue, content, deliveryId, createdAt: now }));
}

interface PanelVote {
  readonly listing: ListingContext;
  readonly rules: PartyRules;
  readonly period: PartyPeriod;
  readonly reachesGoal: boolean;
  readonly deliveryId: number | null;
  /** The current time (ms since the epoch). */
  readonly now: number;
}

/**
 * Enqueues an update of the panel, unless one is waiting, and with the first vote of a period another one for its end.
 * So there is one message per period and no effect per vote. Returns the new state; null without a channel.
 */
function updatePanel(tally: Tally, party: PartyState, vote: PanelVote): PartyPanelState | null {
  const { listing, rules, period, reachesGoal, deliveryId, now } = vote;
  const { goal, credits } = rules;
  const { panel: stored } = party;
  if (!partyAnnounced.in(listing.announced)) return stored;
  const channelId = stored?.channelId ?? listing.announceChannelId;
  if (channelId === null) return stored;
  const common = { queue: queueName('channel', listing.community.id, channelId), deliveryId, createdAt: now };
  const content = { channelId, period: period.id };

  const endsAt = stored?.endsAt ?? calendarOf(listing.community).startOf(period.endDay);
  if (stored === null && endsAt > now) {
    const plan = { key: planKey(listing.community.id, 'party end', period.id), dueAt: endsAt };
    tally.enqueue(newEffect(partyPanelKind, { ...common, content, plan }));
  }
  if (reachesGoal) {
    tally.enqueue(newEffect(partyReachedKind, { ...common, content: { ...content, goal, credits } }));
  }

  // The final state is shown, or an update is waiting.
  if (party.reachedAt !== null && stored !== null && stored.channelId !== null) return stored;
  const { dueAt: waitingUntil = null, updatedAt = 0 } = stored ?? {};
  const panel = { channelId, goal, credits, endsAt, dueAt: waitingUntil, updatedAt };
  if (isPanelWaiting(panel, now)) return panel;
  const dueAt = Math.min(Math.max(now, updatedAt + panelIntervalMs), now + panelIntervalMs);
  const plan = dueAt > now ? { plan: { key: panelKey(period.id), dueAt } } : {};
  tally.enqueue(newEffect(partyPanelKind, { ...common, content, ...plan }));
  return { ...panel, dueAt };
}
