import { day, hour, second } from '@tallyhook/platform/durations';
import type { Generated, Selectable } from 'kysely';
import { type PlanKey, planKey } from '../../core/outbox/outbox.ts';
import { hotTable } from '../../core/store/recording/hot-table.ts';
import type { Sql } from '../../core/store/sql-module.ts';
import { type PartyProgress, partyOf } from './rules.ts';

/** `eligible`: paid once the goal is reached. `late`: voted only after it was reached. */
type PartyVoterState = 'eligible' | 'late' | 'paid';

export interface PartyTables {
  /** The progress of each party, by its key. */
  parties: {
    period: string;
    votes: number;
    reached_at: number | null;
    /** Where its panel is, or will be; null for nowhere, or after Discord has rejected it there. */
    panel_channel: string | null;
    /** The rules at the latest vote, and the end of the period; null without a panel. */
    panel_goal: number | null;
    panel_credits: number | null;
    panel_ends_at: number | null;
    /** When the waiting update of the panel is due; null if none is waiting. */
    panel_due_at: number | null;
    panel_updated_at: Generated<number>;
    /** The id of the message and of its channel; null before it was posted. */
    panel_message: string | null;
    panel_message_channel: string | null;
  };
  party_voters: { period: string; user_id: string; state: PartyVoterState };
}

/** The database with the tables of this feature. */
export type PartySql = Sql<PartyTables>;

export type PartyRow = Selectable<PartyTables['parties']>;

/** The panel of a party is edited at most this often (ms). */
export const panelIntervalMs = 10 * second;

/** The plan of the next update of a panel, by the key of its party. */
export function panelKey(period: string): PlanKey {
  return planKey(partyOf(period).communityId, 'party panel', period);
}

/** The message that shows the progress of a party. Times are ms since the epoch. */
export interface PartyPanelState {
  /** Null after Discord has rejected it in its channel: the next vote selects one. */
  readonly channelId: string | null;
  /** The rules at the latest vote. */
  readonly goal: number;
  readonly credits: number;
  readonly endsAt: number;
  /** When the waiting update is due; null if none is waiting. */
  readonly dueAt: number | null;
  /** The latest update; 0 before the first. */
  readonly updatedAt: number;
}

export interface PartyState extends PartyProgress {
  /** Null until a listing with a channel for announcements has a vote. */
  readonly panel: PartyPanelState | null;
}

/** Longer than an update waits for a channel that Discord rejects (ms): one that was due before was given up. */
const maxWaitMs = day + hour;

/**
 * Whether an update is waiting that will show a vote of this moment. One that is due later than the interval was planned
 * before the clock was set back.
 */
export function isPanelWaiting({ dueAt }: Pick<PartyPanelState, 'dueAt'>, now: number): boolean {
  return dueAt !== null && dueAt <= now + panelIntervalMs && dueAt > now - maxWaitMs;
}

/** The progress of each party, by its key. */
export const parties = hotTable<PartyTables>()({
  name: 'parties',
  key: ['period'],
  columns: {
    period: 'text',
    votes: 'bigint',
    reached_at: 'bigint',
    panel_channel: 'text',
    panel_goal: 'bigint',
    panel_credits: 'bigint',
    panel_ends_at: 'bigint',
    panel_due_at: 'bigint',
    panel_updated_at: 'bigint',
    panel_message: 'text',
    panel_message_channel: 'text',
  },
  initial: { votes: 0, panel_updated_at: 0 },
});

/** Who has voted in a period. A vote that was cast before the goal was reached, but arrives later, makes a voter eligible. */
export const partyVoters = hotTable<PartyTables>()({
  name: 'party_voters',
  key: ['period', 'user_id'],
  columns: { period: 'text', user_id: 'text', state: 'text' },
  replaces: { column: 'state', value: 'late' },
});

export function toPartyState(row: PartyRow): PartyState {
  const { votes, reached_at: reachedAt, panel_channel: channelId, panel_ends_at: endsAt } = row;
  if (endsAt === null) return { votes, reachedAt, panel: null };
  const { panel_goal: goal, panel_credits: credits, panel_due_at: dueAt, panel_updated_at: updatedAt } = row;
  const panel = { channelId, goal: goal ?? 0, credits: credits ?? 0, endsAt, dueAt, updatedAt };
  return { votes, reachedAt, panel };
}

export function withPartyState(row: PartyRow, { votes, reachedAt, panel }: PartyState): PartyRow {
  return {
    ...row,
    votes,
    reached_at: reachedAt,
    panel_channel: panel?.channelId ?? null,
    panel_goal: panel?.goal ?? null,
    panel_credits: panel?.credits ?? null,
    panel_ends_at: panel?.endsAt ?? null,
    panel_due_at: panel?.dueAt ?? null,
  };
}
