/*
 * The settings of communities in the database. A value is named by a path in a listing of the
 * configuration file; `listing` is empty for what all listings of a community share.
 */

/** A stored value. It has its form in the configuration file. */
export interface StoredValue {
  /** JSON; of a secret, how many it is. */
  readonly value: string;
  /** The encrypted secret; null for a value that is not secret. */
  readonly sealed: string | null;
}

/** The path at which a listing is linked in Discord. */
export const linkPath = 'link';

/** Where a stored value belongs. */
export interface SettingKey {
  readonly listing: string;
  readonly path: string;
}

export type StoredSetting = SettingKey & StoredValue;

/** Stored settings of a community. */
export interface StoredCommunity {
  readonly guildId: string;
  /** Version of its newest change; 0 before the first. */
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
  /** A second change of the community with the same id is not stored. */
  readonly interactionId: string;
  readonly at: number;
  /** The newest change that its author knew: newer ones of the same values are a conflict. Null for no check. */
  readonly basis: number | null;
  /** The change that it takes back, at most once. */
  readonly undoes: number | null;
  /** The {@link StoredCommunity.version} with which it was validated: `outdated` if that has changed. Else no check. */
  readonly validatedWith?: number;
  readonly values: readonly (SettingKey & { readonly after: StoredValue | null })[];
}

/** Nothing was written unless it is `saved`. */
export type SaveChangeResult =
  | { readonly status: 'saved'; readonly id: number }
  /** The interaction was saved before, as this change. */
  | { readonly status: 'repeated'; readonly id: number }
  | { readonly status: 'unchanged' | 'already_undone' | 'outdated' }
  /** Refused, because it links a listing with a name that is, or was, that of another guild's listing. */
  | { readonly status: 'name_taken' }
  /** Newer changes of the same values, oldest first. */
  | { readonly status: 'conflict'; readonly changes: readonly number[] }
  /** A secret is not encrypted with the current key of the database, whose id this is. */
  | { readonly status: 'other_key'; readonly keyId: string };

/** The newest version of all settings, and the id of the key of their secrets; null before the first secret. */
export interface SettingsState {
  readonly version: number;
  readonly keyId: string | null;
}

/** The first sign that the webhook of a listing works. */
export interface Arrival {
  /** Ms since the epoch. */
  readonly at: number;
  /** Otherwise it is a vote. */
  readonly isTest: boolean;
}
