import type { PartyPeriod } from '../rewards/party.ts';
import type { PartyRules } from '../rewards/rules.ts';
import { calendarOf } from './community.ts';
import { isPanelWaiting, type PartyPanelState, type PartyState, panelIntervalMs } from './party-state.ts';
import type { ListingContext, Tally } from './tally.ts';

/** A vote that was counted for a party. */
interface PanelVote {
  readonly listing: ListingContext;
  readonly rules: PartyRules;
  readonly period: PartyPeriod;
  /** Whether it is the vote that reached the goal. */
  readonly reachesGoal: boolean;
  readonly deliveryId: number | null;
  /** The current time (ms since the epoch). */
  readonly now: number;
}

/**
 * Enqueues an update of the panel, unless one is waiting, and with the first vote of a period another one for its end.
 * So there is one message per period and no effect per vote. Returns the new state; null without a channel.
 */
export function updatePanel(tally: Tally, party: PartyState, vote: PanelVote): PartyPanelState | null {
  const { listing, rules, period, reachesGoal, deliveryId, now } = vote;
  const { goal, credits } = rules;
  const { panel: stored } = party;
  if (!listing.announced.party) return stored;
  const channelId = stored?.channelId ?? listing.announceChannelId;
  if (channelId === null) return stored;
  const common = { queue: channelId, deliveryId, createdAt: now };
  const content = { channelId, period: period.id };

  const endsAt = stored?.endsAt ?? calendarOf(listing.community).startOf(period.endDay);
  if (stored === null && endsAt > now) tally.enqueue({ ...common, kind: 'partyPanel', content, dueAt: endsAt });
  if (reachesGoal) tally.enqueue({ ...common, kind: 'partyReached', content: { ...content, goal, credits } });

  // The final state is shown, or an update is waiting.
  if (party.reachedAt !== null && stored !== null && stored.channelId !== null) return stored;
  const { dueAt: waitingUntil = null, updatedAt = 0 } = stored ?? {};
  const panel = { channelId, goal, credits, endsAt, dueAt: waitingUntil, updatedAt };
  if (isPanelWaiting(panel, now)) return panel;
  const dueAt = Math.min(Math.max(now, updatedAt + panelIntervalMs), now + panelIntervalMs);
  tally.enqueue({ ...common, kind: 'partyPanel', content, dueAt });
  return { ...panel, dueAt };
}
