import type { Generated, Selectable } from 'kysely';
import type { Sql } from '../../core/store/sql-module.ts';

export interface VotePanelTables {
  /** The vote panel of each guild. Times are ms since the epoch. */
  vote_panels: {
    guild_id: string;
    /** Where it is, or will be. */
    channel_id: string;
    /** Null before it was posted there. */
    message_id: string | null;
    /** The message in whose place it is posted, which is to be deleted. */
    replaced_channel: string | null;
    replaced_message: string | null;
    /** A digest of what it shows. */
    shown: string | null;
    /** When an update was enqueued that has not been carried out. */
    planned_at: number | null;
    updated_at: Generated<number>;
  };
}

/** The database with the tables of this feature. */
export type VotePanelSql = Sql<VotePanelTables>;

export type VotePanelRow = Selectable<VotePanelTables['vote_panels']>;
