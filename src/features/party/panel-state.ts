import { noPartyProgress, type PartyProgress } from '../../core/rewards/party.ts';
import { second } from '../../platform/durations.ts';

/** The panel of a party is edited at most this often (ms). */
export const panelIntervalMs = 10 * second;

/** The message that shows the progress of a party. Times are ms since the epoch. */
export interface PartyPanelState {
  /** Null after Discord has rejected it in its channel: the next vote selects one. */
  readonly channelId: string | null;
  /** The rules at the latest vote. */
  readonly goal: number;
  readonly credits: number;
  /** End of the period. */
  readonly endsAt: number;
  /** When the waiting update is due; null if none is waiting. */
  readonly dueAt: number | null;
  /** The latest update; 0 before the first. */
  readonly updatedAt: number;
}

/** A party as it is stored. */
export interface PartyState extends PartyProgress {
  /** Null until a listing with a channel for announcements has a vote. */
  readonly panel: PartyPanelState | null;
}

/** A party before the first vote of its period. */
export const noPartyState: PartyState = { ...noPartyProgress, panel: null };

/**
 * Whether an update is waiting that will show a vote of this moment. One that is due later than the interval was planned
 * before the clock was set back.
 */
export function isPanelWaiting({ dueAt }: Pick<PartyPanelState, 'dueAt'>, now: number): boolean {
  return dueAt !== null && dueAt <= now + panelIntervalMs;
}
