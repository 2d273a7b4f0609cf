import type { Generated } from 'kysely';

/** The tables of what `/setup` stores. Times are ms since the epoch. */
export interface SettingsTables {
  /**
   * Values that `/setup` stored, by the path in a listing of the configuration file; `listing` is empty for the
   * community.
   */
  setting_values: {
    guild_id: string;
    listing: string;
    path: string;
    /** JSON; of a secret, how many it is. */
    value: string;
    /** The encrypted secret; null for a value that is not secret. */
    sealed: string | null;
  };
  /** Every change of settings. The id is the version that it led to. */
  setting_changes: {
    id: number;
    guild_id: string;
    at: number;
    author_id: string;
    interaction_id: string;
    /** The change that it takes back. */
    undoes: number | null;
  };
  /** The values that a change replaced, and the new ones; null if there was none, or is none any more. */
  changed_settings: {
    guild_id: string;
    change_id: number;
    position: number;
    listing: string;
    path: string;
    before_value: string | null;
    before_sealed: string | null;
    after_value: string | null;
    after_sealed: string | null;
  };
  /** The guilds that have changed settings. */
  guilds: {
    guild_id: string;
    /** That of the newest change, of any kind, that every process has to apply. */
    version: number;
    /** When the bot was first found to be missing; null while it is there. */
    missing_since: Generated<number | null>;
    /** When and by whom (a user id, or `tallyhook`) the community was parked; null while it is in use. */
    parked_at: Generated<number | null>;
    parked_by: Generated<string | null>;
    /** Notices of the deletion that were sent. */
    notices: Generated<number>;
  };
  /** A single row: the newest version of all settings, and the id of the key with which secrets are encrypted. */
  settings_state: { id: number; version: number; key_id: string | null };
}
