import type { NewEffect } from '../outbox/outbox.ts';

/*
 * The settings of communities in the database, and the port to it. A value is named by a path in a listing of the
 * configuration file; `listing` is empty for what all listings of a community share.
 */

/** A stored value. It has its form in the configuration file. */
export interface StoredValue {
  /** JSON; of a secret, how many it is. */
  readonly value: string;
  /** The encrypted secret; null for a value that is not secret. */
  readonly sealed: string | null;
}

/** Where a stored value belongs. */
export interface SettingKey {
  readonly listing: string;
  readonly path: string;
}

export type StoredSetting = SettingKey & StoredValue;

/** What is stored of a community. */
export interface StoredCommunity {
  readonly guildId: string;
  /** That of its newest change; 0 before the first. */
  readonly version: number;
  readonly settings: readonly StoredSetting[];
  /** Links that were removed or replaced, as they were: the votes of these listings remain. */
  readonly formerLinks: readonly { readonly listing: string; readonly value: string }[];
  /** When it was parked (ms since the epoch); null while it is in use. */
  readonly parkedAt: number | null;
}

/** A stored change with what it replaced. */
export interface StoredChange {
  readonly id: number;
  readonly at: number;
  readonly authorId: string;
  readonly undoes: number | null;
  readonly undoneBy: number | null;
  readonly changes: readonly ChangedValue[];
}

/** Null: there was no value, or there is none any more. */
export type ChangedValue = SettingKey & { readonly before: StoredValue | null; readonly after: StoredValue | null };

/** A change to store. */
export interface NewChange {
  readonly guildId: string;
  readonly authorId: string;
  /** A second change with the same id is not stored. */
  readonly interactionId: string;
  /** ms since the epoch. */
  readonly at: number;
  /** The newest change that its author knew: newer ones of the same values are a conflict. Null for no check. */
  readonly basis: number | null;
  /** The change that it takes back, at most once. */
  readonly undoes: number | null;
  /**
   * The {@link StoredCommunity.version} of the community with which it was validated: `outdated` if it has another one by
   * now. Without it, what others have changed meanwhile makes no difference.
   */
  readonly validatedWith?: number;
  readonly values: readonly (SettingKey & { readonly after: StoredValue | null })[];
}

/** Nothing was written unless it is `saved`. */
export type SaveChangeResult =
  | { readonly status: 'saved'; readonly id: number }
  /** The interaction was saved before, as this change. */
  | { readonly status: 'repeated'; readonly id: number }
  | { readonly status: 'unchanged' | 'already_undone' | 'outdated' }
  /** Newer changes of the same values, oldest first. */
  | { readonly status: 'conflict'; readonly changes: readonly number[] }
  /** A secret is not encrypted with the current key of the database, whose id this is. */
  | { readonly status: 'other_key'; readonly keyId: string };

/** The newest version of all settings, and the id of the key of their secrets; null before the first secret. */
export interface SettingsState {
  readonly version: number;
  readonly keyId: string | null;
}

/** Rejects with the errors of the store. */
export interface SettingsStore {
  /** Reads one row. */
  state(): Promise<SettingsState>;
  /** The communities that were changed after a version, in the order of their versions. */
  changedAfter(version: number): Promise<readonly { readonly guildId: string; readonly version: number }[]>;
  /** The communities with these ids; one without settings has none. */
  communities(guildIds: readonly string[]): Promise<readonly StoredCommunity[]>;
  /** The communities with the next ids, in their order. */
  communitiesAfter(guildId: string, limit: number): Promise<readonly StoredCommunity[]>;
  save(change: NewChange): Promise<SaveChangeResult>;
  /** Newest first. @param options.before only changes with a smaller id; null for the newest */
  changes(
    guildId: string,
    options: { readonly before: number | null; readonly limit: number },
  ): Promise<readonly StoredChange[]>;
  /** Those of these ids that are of the community, oldest first. */
  changesWithIds(guildId: string, ids: readonly number[]): Promise<readonly StoredChange[]>;
  /** The change of the community that an interaction has saved; null if it has saved none. */
  changeOfInteraction(guildId: string, interactionId: string): Promise<number | null>;
  /** When the newest test delivery for a listing was received (ms since the epoch); null if none was since `since`. */
  testSince(listing: string, since: number): Promise<number | null>;
}

/** An encrypted value in the database. */
export type SealedRow = SealedSetting | SealedToken;

/** A token of a member with linked roles. */
export interface SealedToken {
  readonly place: 'access_token' | 'refresh_token';
  readonly userId: string;
  readonly sealed: string;
}

/** An encrypted value of a setting, or of its history. */
export interface SealedSetting extends SettingKey {
  readonly place: 'value' | 'before' | 'after';
  readonly guildId: string;
  /** Of the history; 0 for the value itself. */
  readonly changeId: number;
  readonly position: number;
  readonly sealed: string;
}

/** Replaces the key of all secrets, while the program runs. Rejects with the errors of the store. */
export interface RekeyStore {
  /** From then on, nothing that is encrypted with another key can be stored. */
  useKey(keyId: string): Promise<void>;
  /** Some of the values that are encrypted with another key; none if there are none. */
  sealedWithOthers(keyId: string, limit: number): Promise<readonly SealedRow[]>;
  /** Stores values that have not changed meanwhile. @returns how many */
  reseal(rows: readonly { readonly row: SealedRow; readonly sealed: string }[]): Promise<number>;
}

/** Whether a community is in use. Times are ms since the epoch. */
export interface GuildState {
  readonly guildId: string;
  /** When the bot was first found to be missing; null while it is there. */
  readonly missingSince: number | null;
  readonly parkedAt: number | null;
  /** A user id, or {@link byTallyhook}. */
  readonly parkedBy: string | null;
  /** When its settings were last changed; null if they never were. */
  readonly changedAt: number | null;
  /** Notices of the deletion since it was parked. */
  readonly notices: number;
}

/** Who parked a community: the program, because the bot was removed. */
export const byTallyhook = 'tallyhook';

/** The communities that have stored settings. Rejects with the errors of the store. */
export interface GuildStore {
  /** In the order of their ids. */
  list(): Promise<readonly GuildState[]>;
  /** Notes that the bot is, or is not, in a guild. */
  setMissing(guildId: string, since: number | null): Promise<void>;
  /** Null if nothing was ever stored of the community. */
  find(guildId: string): Promise<GuildState | null>;
  /** The member who last changed its settings; null if that was the operator, or the member was forgotten. */
  lastAuthor(guildId: string): Promise<string | null>;
  /**
   * Parks a community, with the message about it, or puts it into use again (null). Every process applies it like a
   * change of settings. False if {@link byTallyhook} and it was parked before; then nothing is written.
   */
  setParked(
    guildId: string,
    parked: { readonly at: number; readonly by: string } | null,
    message?: NewEffect<'directMessage'> | null,
  ): Promise<boolean>;
  /**
   * Notes that this number of notices was given, with the message of the last one. False if it was noted before, by this
   * or another process; then nothing is written.
   */
  noteNotice(guildId: string, notices: number, message: NewEffect<'directMessage'> | null): Promise<boolean>;
  /**
   * Deletes the webhook secrets of a community, so that no process receives its votes any more, as soon as it has applied
   * that. True if there were some.
   */
  deleteWebhookSecrets(guildId: string): Promise<boolean>;
  /**
   * Deletes the accounts of a community and all else that is stored of the listings that it has linked, except the keys
   * of recorded events. Not those of the home community. A vote that is received meanwhile can leave an
   * account: to be called after {@link deleteWebhookSecrets}, and before {@link deleteSettings}, which deletes the
   * names of the listings; can be repeated after an interruption. Ends early after `signal`.
   */
  deleteData(guildId: string, signal: AbortSignal): Promise<void>;
  /**
   * Deletes settings, secrets and their history, some rows per transaction. True if something may be left, so that it has
   * to be called again.
   */
  deleteSettings(guildId: string): Promise<boolean>;
}

/** All ports to what is stored of communities. */
export interface CommunityStores {
  readonly settings: SettingsStore;
  readonly rekey: RekeyStore;
  readonly guilds: GuildStore;
}
