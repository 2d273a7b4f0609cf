import { hotTable, type Row } from '../../core/store/recording/hot-table.ts';
import type { PartyState } from './panel-state.ts';

/** The progress of each party, by its key. */
export const parties = hotTable({
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
  initial: {
    votes: 0,
    reached_at: null,
    panel_channel: null,
    panel_goal: null,
    panel_credits: null,
    panel_ends_at: null,
    panel_due_at: null,
    panel_updated_at: 0,
    panel_message: null,
    panel_message_channel: null,
  },
});

/** Who has voted in a period. A vote that was cast before the goal was reached, but arrives later, makes a voter eligible. */
export const partyVoters = hotTable({
  name: 'party_voters',
  key: ['period', 'user_id'],
  columns: { period: 'text', user_id: 'text', state: 'text' },
  replaces: { column: 'state', value: 'late' },
});

export function toPartyState(row: Row<'parties'>): PartyState {
  const { votes, reached_at: reachedAt, panel_channel: channelId, panel_ends_at: endsAt } = row;
  if (endsAt === null) return { votes, reachedAt, panel: null };
  const { panel_goal: goal, panel_credits: credits, panel_due_at: dueAt, panel_updated_at: updatedAt } = row;
  const panel = { channelId, goal: goal ?? 0, credits: credits ?? 0, endsAt, dueAt, updatedAt };
  return { votes, reachedAt, panel };
}

/** The row with a new state. */
export function withPartyState(row: Row<'parties'>, { votes, reachedAt, panel }: PartyState): Row<'parties'> {
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
