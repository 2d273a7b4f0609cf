import { parseJson } from '@tallyhook/platform/json';
import { type EffectiveValue, unset, valuesOfListing } from '../../../config/describe.ts';
import { type CommunityIssue, communityConfig } from '../../../config/listings.ts';
import type { ListingBase, ListingConfig } from '../../../config/schema.ts';
import type { ChangedValue, StoredChange, StoredValue } from '../../core/settings/stored-settings.ts';
import { type Rule, rule } from '../../core/settings/value-schemas.ts';
import { findSite } from '../../webhook/sites/index.ts';
import type { Site } from '../../webhook/sites/site.ts';
import { type CommunityPath, communityPaths, type ListingPath, type SettingPath } from '../settings.ts';
import type { OpenedSettings, UnreadableSecret } from './stored.ts';

/*
 * The settings of a community, for `/setup`. Values have the form of the file of `TALLYHOOK_CONFIG` (JSON), times are
 * ms since the epoch. Every method rejects with the errors of the store.
 */

/** The addresses for the webhooks of a listing: complete URLs, or only paths if `PUBLIC_URL` is not set. */
export interface WebhookAddresses {
  /** `/webhooks/<name>/vote`; of a listing on another site `/webhooks/<name>` */
  readonly vote: string;
  /** `/webhooks/<name>/premium`; null on another site, which has no premium events */
  readonly premium: string | null;
}

/** A listing of a community, without secrets. */
export interface ListingSettings {
  /** Permanent. */
  readonly name: string;
  readonly kind: 'server' | 'bot';
  /** Discord id of the server or bot; null if it is not known. */
  readonly targetId: string | null;
  /** The other site that it is on; null for the document's service. */
  readonly site: Site | null;
  /** `setup`: it was linked in Discord, and can be unlinked there. Otherwise it is the operator's. */
  readonly origin: 'setup' | 'file' | 'environment';
  readonly hasLookupKey: boolean;
  /** True if the API token of the other site is known. */
  readonly hasSiteKey: boolean;
  readonly voteSecrets: number;
  readonly premiumSecrets: number;
  readonly addresses: WebhookAddresses;
  /** By path: `announceChannelId`, `rewards.streak`. */
  readonly values: Readonly<Record<SettingPath, EffectiveValue>>;
  /** Settings that decide its announcements and their amounts. */
  readonly inEffect: Pick<ListingConfig, 'rewards' | 'announcements' | 'timeZone'>;
}

export interface CommunitySettings {
  readonly guildId: string;
  readonly listings: readonly ListingSettings[];
  readonly values: Readonly<Record<CommunityPath, EffectiveValue>>;
  /** Number of the newest change; 0 before the first. Pass it to {@link SettingsEdit.basis}. */
  readonly version: number;
  readonly latestChange: SettingsChange | null;
  /**
   * True if API keys and secrets can be stored. If not, linking fails with the issue `no_settings_key`: the operator
   * has to set SETTINGS_KEY.
   */
  readonly canStoreSecrets: boolean;
  /** Stored settings that are not in effect, such as secrets that cannot be decrypted. */
  readonly issues: readonly SettingIssue[];
}

/** Why a value is not valid. Without secrets. */
export interface SettingIssue {
  /** Name of the listing; null for a setting of the community. */
  readonly listing: string | null;
  readonly path: string;
  /**
   * `invalid`: the value. `everyone_role`: it names @everyone. `no_settings_key`: secrets cannot be stored or read.
   * `unknown_listing`: it was unlinked, or belongs to another community. `already_linked`, `operators_listing`: the
   * community has it already, as `listing`, which was linked in Discord or is the operator's. `not_compared`: it may be
   * the same as `listing`, of which the service does not say what it is. `other_listing`: the key does not belong to
   * `listing`. `missing`: another setting needs it, and it has no value.
   */
  readonly code:
    | 'invalid'
    | 'missing'
    | 'everyone_role'
    | 'no_settings_key'
    | 'unknown_listing'
    | 'already_linked'
    | 'operators_listing'
    | 'not_compared'
    | 'other_listing';
  /** Rest of a sentence that begins with the path. */
  readonly problem: string;
  /** How to fix it: a sentence. Null if the problem says it. */
  readonly hint: string | null;
  /** The names and indexes that lead to the invalid part. @internal */
  readonly position?: readonly PropertyKey[];
  /** Rule that members read in place of the English sentences; missing for what only files can have. @internal */
  readonly rule?: Rule | null;
}

export interface ChangedSetting {
  readonly listing: string | null;
  /**
   * One of {@link ListingPath} or {@link CommunityPath}; or `link` (the listing itself: `{kind, id, site}`),
   * `lookupKey`, `voteSecrets`, `premiumSecrets`, `siteKey`, `shop.<item>.codes`, whose values are never shown; or
   * `slug`.
   */
  readonly path: string;
  /** True if its values are secret; `before` and `after` are then the number of secrets, or null. */
  readonly isSecret: boolean;
  /** Value that was stored before; undefined if nothing was, so that file, environment or default were in effect. */
  readonly before: unknown;
  /** Value that is stored since; undefined if nothing is. */
  readonly after: unknown;
}

/** A change that was saved at once, by one member. */
export interface SettingsChange {
  /** Ascending within a community. */
  readonly id: number;
  readonly at: number;
  /** The member's user id. */
  readonly authorId: string;
  readonly changes: readonly ChangedSetting[];
  /** The change that this one takes back; null for an ordinary one. */
  readonly undoes: number | null;
  /** The change that took this one back; null if it is not undone. */
  readonly undoneBy: number | null;
}

/** Who changes settings, and where. */
export interface SettingsAuthor {
  readonly guildId: string;
  readonly authorId: string;
  /**
   * Id of the submitted modal or pressed button: repeating a call with the same id changes nothing, and has its result.
   */
  readonly interactionId: string;
}

/** Changes to save at once: all of them or none. */
export interface SettingsEdit extends SettingsAuthor {
  /**
   * The {@link CommunitySettings.version} that the member saw. If one of the settings was changed by somebody else
   * since then, nothing is saved. Null to save in any case.
   */
  readonly basis: number | null;
  readonly changes: readonly {
    /** Null for a setting of the community. */
    readonly listing: string | null;
    readonly path: ListingPath | CommunityPath;
    /**
     * JSON; undefined removes what `/setup` stored, so that file, environment or default are in effect again. An item
     * of `shop` with `codeCount` keeps its codes; `newCodes: string[]` adds codes to it.
     */
    readonly value: unknown;
  }[];
}

/** Nothing was written unless it is `saved`. */
export type SaveResult =
  | { readonly status: 'saved'; readonly change: SettingsChange }
  | { readonly status: 'unchanged' }
  | { readonly status: 'invalid'; readonly issues: readonly SettingIssue[] }
  /** Somebody else changed the same settings meanwhile: `since`, oldest first. */
  | { readonly status: 'conflict'; readonly since: readonly SettingsChange[] };

export type UndoResult =
  | { readonly status: 'undone'; readonly change: SettingsChange }
  /** Somebody changed these settings again: `since`, oldest first. */
  | { readonly status: 'changed_since'; readonly since: readonly SettingsChange[] }
  | { readonly status: 'already_undone' | 'not_found' }
  | { readonly status: 'invalid'; readonly issues: readonly SettingIssue[] };

/** The secrets of a listing that were generated by us; null for one that was pasted or not changed. Show them once. */
export interface GeneratedSecrets {
  readonly voteSecret: string | null;
  readonly premiumSecret: string | null;
}

export interface NewLink extends SettingsAuthor {
  readonly kind: 'server' | 'bot';
  /** Discord id of the server or bot; null if it is not known. */
  readonly targetId: string | null;
  /** The id of another listing site; null, the default, for the document's service. */
  readonly site?: string | null;
  /** The description of a `custom` site, as in the file; validated when it is saved. */
  readonly custom?: object;
  /** Null to receive votes only. */
  readonly lookupKey: string | null;
  /** Pasted by the owner; null to generate one. */
  readonly voteSecret: string | null;
  /** If the service has one already; premium events are not received without. */
  readonly premiumSecret?: string;
  /** The name of the listing, if the service knows its addresses already; one is generated by default. */
  readonly name?: string;
}

/** Further values that an owner may state of a linked listing; null to leave it as it is. */
export interface ListingDetails {
  readonly voteSecret: string | null;
  readonly premiumSecret: string | null;
  /** The API token of the other site. */
  readonly siteKey: string | null;
  /** The name of the listing there. */
  readonly slug: string | null;
}

export type LinkResult =
  | {
      readonly status: 'linked';
      readonly listing: ListingSettings;
      readonly change: SettingsChange;
      readonly secrets: GeneratedSecrets;
    }
  | { readonly status: 'invalid'; readonly issues: readonly SettingIssue[] };

export type SecretFamily = 'vote' | 'premium';

export type RotateResult =
  | { readonly status: 'saved'; readonly change: SettingsChange; readonly secrets: GeneratedSecrets }
  | { readonly status: 'invalid'; readonly issues: readonly SettingIssue[] };

/** True if an API key can be used. */
export type KeyCheck =
  | {
      readonly status: 'valid';
      readonly kind: 'server' | 'bot';
      /** External text. */
      readonly name: string;
      /** Discord id of the server or bot; null if the service does not say. */
      readonly targetId: string | null;
    }
  | { readonly status: 'refused' | 'wrongKind' | 'malformed' }
  /** `tooMany`: the guild has checked ten keys within a minute. `retryAt` is in ms since the epoch. */
  | { readonly status: 'unreachable' | 'tooMany'; readonly retryAt: number };

/** The effective settings of a community, without secrets. */
export function describeCommunity(
  base: ListingBase,
  {
    guildId,
    opened,
    latestChange,
    ...community
  }: {
    readonly guildId: string;
    readonly opened: OpenedSettings;
    readonly latestChange: StoredChange | null;
    readonly canStoreSecrets: boolean;
    readonly publicUrl: string | null;
  },
): CommunitySettings {
  const config = communityConfig(base, guildId, opened.settings);
  const listings = config.configured.map((configured): ListingSettings => {
    const { listing, source } = configured;
    const { name, kind, site, rewards, announcements, timeZone } = listing;
    return {
      name,
      kind,
      targetId: listing.id,
      site: site === undefined ? null : findSite(site),
      origin: source.origin,
      hasLookupKey: listing.lookupKey !== null,
      hasSiteKey: site !== undefined && site.key !== null,
      voteSecrets: listing.voteSecrets.length,
      premiumSecrets: listing.premiumSecrets.length,
      addresses: webhookAddresses(listing, community.publicUrl),
      values: valuesOfListing(base, configured, opened.settings),
      inEffect: { rewards, announcements, timeZone },
    };
  });
  return {
    guildId,
    version: latestChange?.id ?? 0,
    canStoreSecrets: community.canStoreSecrets,
    listings,
    values: listings[0]?.values ?? storedValues(opened),
    latestChange: latestChange && toSettingsChange(latestChange),
    issues: [...opened.unreadable.map(toUnreadableIssue), ...config.issues.map(toIssue)],
  };
}

/** Stored values of a community without listings. */
function storedValues({ settings }: OpenedSettings): CommunitySettings['values'] {
  const values = communityPaths.map((path): [CommunityPath, EffectiveValue] => {
    const stored = settings.find((each) => each.listing === '' && each.path === path);
    return [path, stored === undefined ? unset : { value: stored.value, source: 'setup' }];
  });
  return Object.fromEntries(values) as CommunitySettings['values'];
}

/** Without `PUBLIC_URL` only the path. */
export function listingAddress(name: string, publicUrl: string | null): string {
  return `${publicUrl ?? ''}/webhooks/${name}`;
}

/** Without `PUBLIC_URL` only the paths. */
export function webhookAddresses(
  { name, site }: Pick<ListingConfig, 'name' | 'site'>,
  publicUrl: string | null,
): WebhookAddresses {
  const address = listingAddress(name, publicUrl);
  if (site !== undefined) return { vote: address, premium: null };
  return { vote: `${address}/vote`, premium: `${address}/premium` };
}

/** For `/setup`, where a hint to use it would say nothing. */
export function toIssue(issue: CommunityIssue): SettingIssue {
  return { ...issue, hint: issue.code === 'invalid' ? null : issue.hint };
}

/** A secret has the number of secrets as its value. */
export function toSettingsChange({ id, at, authorId, undoes, undoneBy, changes }: StoredChange): SettingsChange {
  return { id, at, authorId, undoes, undoneBy, changes: changes.map(toChangedSetting) };
}

function toChangedSetting({ listing, path, before, after }: ChangedValue): ChangedSetting {
  const isSecret = [before, after].some((each) => (each?.sealed ?? null) !== null);
  return { listing: listing || null, path, isSecret, before: shownValue(before), after: shownValue(after) };
}

function shownValue(stored: StoredValue | null): unknown {
  return stored === null ? undefined : parseJson(stored.value);
}

/** Without the reason, which names files of the operator: it is in the log. */
function toUnreadableIssue({ listing, path, isKeyMissing }: UnreadableSecret): SettingIssue {
  if (isKeyMissing) return missingKeyIssue(listing || null, path);
  const problem = 'cannot be read.';
  return {
    listing: listing || null,
    path,
    code: 'invalid',
    problem,
    hint: 'Enter it again.',
    rule: rule('unreadable'),
  };
}

/** The key of secrets is not available. Managers cannot change that. */
export function missingKeyIssue(listing: string | null, path: string): SettingIssue {
  const problem = 'cannot be read or saved, because the key of secrets is missing.';
  return { listing, path, code: 'no_settings_key', problem, hint: 'Ask the operator of this bot: see its log.' };
}
