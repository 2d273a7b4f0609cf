import type { Generated, Selectable } from 'kysely';
import type { Sql } from '../../core/store/sql-module.ts';

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
