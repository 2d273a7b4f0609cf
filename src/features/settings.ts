import { textsOf } from '@tallyhook/platform/json';
import { messageFor } from '@tallyhook/platform/schema-messages';
import type { z } from 'zod';
import { styleOf } from '../core/announcements/announcement-style.ts';
import * as listing from '../core/settings/listing-settings.ts';
import * as rewards from '../core/settings/reward-settings.ts';
import {
  isOff,
  type MissingSetting,
  type SettingSpec,
  type SettingsInEffect,
  type SharedSettings,
  type ValuesByPath,
} from '../core/settings/setting-spec.ts';
import { type Rule, ruleOf } from '../core/settings/value-schemas.ts';
import type { Need } from '../discord/commands/command.ts';
import type { AnnouncementSettings } from '../texts/announcement-settings.ts';
import * as announcements from './announcements/settings.ts';
import { every } from './digests/settings.ts';
import { webhooks } from './events/settings.ts';
import { giftLimit } from './gifts/settings.ts';
import { guards } from './guards/settings.ts';
import { lostStreaks } from './lost-streaks/settings.ts';
import * as party from './party/settings.ts';
import * as prizes from './prizes/settings.ts';
import { publicPage } from './public-pages/settings.ts';
import * as raffles from './raffles/settings.ts';
import { reminderChannelId } from './reminders/settings.ts';
import { reviews } from './reviews/settings.ts';
import { milestoneRoles, premiumRoles, voterRole } from './roles/settings.ts';
import { shop } from './shop/settings.ts';

/** All settings of a listing, in the order of the file and of `tallyhook config`. */
export const settings = [
  listing.timeZone,
  listing.ownerChannelId,
  listing.announceChannelId,
  listing.premiumChannelId,
  reminderChannelId,
  listing.cooldownHours,
  rewards.vote,
  rewards.premium,
  rewards.whenDenied,
  rewards.multipliers,
  rewards.streak,
  rewards.milestones,
  milestoneRoles,
  voterRole,
  premiumRoles,
  rewards.allListings,
  rewards.firstVote,
  rewards.luck,
  rewards.weight,
  party.party,
  prizes.prizes,
  raffles.raffle,
  guards,
  publicPage,
  giftLimit,
  announcements.mode,
  every,
  ...announcements.look,
  reviews,
  announcements.milestones,
  announcements.premium,
  party.announced,
  prizes.announced,
  raffles.announced,
  lostStreaks,
  announcements.language,
  shop,
  webhooks,
] as const satisfies readonly SettingSpec[];

type Setting = (typeof settings)[number];
export type CommunityPath = Extract<Setting, { readonly isShared: true }>['path'];
/** The paths of a listing. A value that lists several things (multipliers, roles) is replaced as a whole. */
export type ListingPath = Exclude<Setting['path'], CommunityPath>;
export type SettingPath = Setting['path'];
export type SettingVariable = Extract<Setting, { readonly variable: string }>['variable'];

const specs: readonly SettingSpec[] = settings;
const byPath = new Map(specs.map((spec) => [spec.path, spec]));

/** The setting at a path, which may be of an imported text; undefined if there is none. */
export function findSetting(path: string): SettingSpec | undefined {
  return byPath.get(path);
}

export function settingAt(path: SettingPath): SettingSpec {
  const spec = findSetting(path);
  if (spec === undefined) throw new Error(`There is no setting ${path}.`);
  return spec;
}

/** Needs of commands that communities with these listings do not meet. */
export function lacksOf(listings: readonly SettingsInEffect[]): readonly Need[] {
  const missing = specs.filter(({ isNeeded, inFile }) => isNeeded && listings.every((each) => isOff(inFile(each))));
  return [...(listings.length === 0 ? ['accounts'] : []), ...missing.map(({ path }) => path)];
}

/** In the order in which a community is exported and imported. */
export const listingPaths = specs.filter(({ isShared }) => !isShared).map(({ path }) => path as ListingPath);
export const communityPaths = specs.filter(({ isShared }) => isShared).map(({ path }) => path as CommunityPath);

export function sharedSettings(settingsOfListing: SharedSettings): SharedSettings {
  const names = communityPaths.filter((path) => path in settingsOfListing) as (keyof SharedSettings)[];
  return Object.fromEntries(names.map((name) => [name, settingsOfListing[name]])) as unknown as SharedSettings;
}

/** The roles that settings give (Discord IDs). */
export function rolesGivenBy(settingsOfListing: SettingsInEffect): readonly string[] {
  const given = specs.flatMap(({ givenRoles, inFile }) => givenRoles?.(inFile(settingsOfListing)) ?? []);
  return textsOf(given.map(({ role }) => role));
}

/** The roles that settings give or require (Discord IDs). */
export function rolesNamedBy(settingsOfListing: SettingsInEffect): readonly string[] {
  const required = specs.flatMap(({ requiredRoles, inFile }) => requiredRoles?.(inFile(settingsOfListing)) ?? []);
  return [...rolesGivenBy(settingsOfListing), ...textsOf(required)];
}

export function missingSettings(settingsOfListing: SettingsInEffect): readonly MissingSetting[] {
  return specs.flatMap(({ needs }) => needs?.(settingsOfListing) ?? []);
}

/** Valid settings that are probably mistakes: sentences for the log. */
export function doubtsAbout(settingsOfListing: SettingsInEffect): readonly string[] {
  return specs.flatMap(({ doubts }) => doubts?.(settingsOfListing) ?? []);
}

const secretParts = specs.flatMap((spec) => spec.secretParts ?? []);

export function isSecretPath(path: string): boolean {
  return listing.secretPaths.some((each) => each === path) || secretParts.some(({ isAt }) => isAt(path));
}

/** Stored values of a community by path, with the secret parts in their values. @param configured by the operator */
export function joinParts(
  stored: ReadonlyMap<string, unknown>,
  configured: (spec: SettingSpec) => unknown = () => undefined,
): ValuesByPath {
  const values = [...stored].filter(([path]) => !isSecretPath(path));
  return values.map(([path, value]) => {
    const spec = findSetting(path);
    const parts = spec?.secretParts;
    return [path, spec && parts ? parts.join(value, (part) => stored.get(part), configured(spec)) : value];
  });
}

export function isCommunityPath(path: string): path is CommunityPath {
  return findSetting(path)?.isShared === true;
}

export interface ValueProblem {
  /** For operators: the rest of a sentence that begins with the path. */
  readonly problem: string;
  /** The names and indexes that lead to the invalid part. */
  readonly position?: readonly PropertyKey[];
  /** Rule that members read; null for what only files can have. */
  readonly rule: Rule | null;
}

/** The value as a listing of the file has it, or what is wrong. */
export type ParsedSetting =
  | { readonly valid: true; readonly value: unknown }
  | { readonly valid: false; readonly problems: readonly ValueProblem[] };

/**
 * Validates a stored value, which may be secret: the problems do not contain it. @param listingName empty for the
 * community
 */
export function parseSetting(listingName: string, path: string, value: unknown): ParsedSetting {
  const schema = schemaAt(listingName, path);
  if (schema === undefined) {
    return { valid: false, problems: [{ problem: 'is not a setting that can be changed.', rule: null }] };
  }
  const result = schema.safeParse(value, { error: messageFor });
  if (result.success) return { valid: true, value: result.data };
  const problems = result.error.issues.map((issue) => {
    const { path: position, message } = issue;
    const where = position.length === 0 ? '' : ` at ${position.join('.')}`;
    return { problem: `is invalid${where}: ${message}.`, position, rule: ruleOf(issue) };
  });
  return { valid: false, problems };
}

const linkSchemas: ReadonlyMap<string, z.ZodType> = new Map(Object.entries(listing.linkSchemas));

function schemaAt(listingName: string, path: string): z.ZodType | undefined {
  const isShared = listingName === '';
  if (!isShared && linkSchemas.has(path)) return linkSchemas.get(path);
  const spec = findSetting(path);
  if (spec === undefined && isShared) return secretParts.find(({ isAt }) => isAt(path))?.schema;
  if (spec === undefined || (spec.isShared === true) !== isShared) return undefined;
  return spec.storedSchema ?? (spec.canBeOff ? spec.schema.nullable() : spec.schema);
}

type AnnouncementSpec = Extract<Setting, { readonly path: `announcements.${string}` }>;
/** Announcements that a listing states: undefined if it is left out, null if it is switched off. */
export type StatedAnnouncements = {
  readonly [Each in AnnouncementSpec as Each['path'] extends `announcements.${infer Name}` ? Name : never]?:
    | z.output<Each['schema']>
    | null
    | undefined;
};

const prefix = 'announcements.';
export const announcementSettings = (settings as readonly Setting[]).filter((spec): spec is AnnouncementSpec =>
  spec.path.startsWith(prefix),
);

/** The announcements of a listing with their defaults. */
export function readAnnouncements(stated: StatedAnnouncements = {}): AnnouncementSettings {
  const values: Readonly<Record<string, unknown>> = stated;
  const inEffect = announcementSettings.map(({ path, announces, default: usual = null }) => {
    const name = path.slice(prefix.length);
    return announces?.(values[name]) ?? { [name]: values[name] ?? usual };
  });
  return Object.assign({}, ...inEffect);
}

/** The announcements and the style of a listing for which nothing is configured. */
export const plainAnnouncements = readAnnouncements();
export const plainStyle = styleOf(plainAnnouncements);
