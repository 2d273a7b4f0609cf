import { dirname } from 'node:path';
import { hour } from '@tallyhook/platform/durations';
import { type ConfigIssue, InvalidConfigError } from '@tallyhook/platform/invalid-config-error';
import { isEqual } from '@tallyhook/platform/json';
import type { SecretFile } from '@tallyhook/platform/secret-files';
import type { z } from 'zod';
import type { Added } from '../src/core/added-value.ts';
import type { RewardRules } from '../src/core/rewards/reward.ts';
import { type ListingRewards, plainRewards } from '../src/core/rewards/rules.ts';
import { cooldownHours, parseLink } from '../src/core/settings/listing-settings.ts';
import { premium, vote, whenDenied } from '../src/core/settings/reward-settings.ts';
import { type SettingSpec, type SettingsInEffect, valueAt, withValuesAt } from '../src/core/settings/setting-spec.ts';
import { linkPath } from '../src/core/settings/stored-settings.ts';
import { rule, timeZone } from '../src/core/settings/value-schemas.ts';
import { confirmRule } from '../src/features/confirmations/store.ts';
import { guardsRule } from '../src/features/guards/rules.ts';
import { rateAlarmRule } from '../src/features/rate-alarms/store.ts';
import { voterRole } from '../src/features/roles/settings.ts';
import {
  joinParts,
  parseSetting,
  readAnnouncements,
  rolesNamedBy,
  settings,
  type ValueProblem,
} from '../src/features/settings.ts';
import { findSite, type SiteSettings } from '../src/webhook/sites/index.ts';
import { trustOf } from '../src/webhook/sites/site.ts';
import { mayStoreSecrets } from './environment.ts';
import {
  type FileListing,
  headerSecretProblem,
  listingsFile,
  parseJsonFile,
  rewards,
  siteIssues,
  siteOf,
} from './listings-file.ts';
import type {
  DefaultName,
  ListingBase,
  ListingConfig,
  ListingDefaults,
  ListingSource,
  StatedListing,
} from './schema.ts';
import { needsDiscord, rolesOf, type SettingName, type Values } from './settings.ts';

/** The variables that belong to one that a setting names. */
const otherDefaults = ['VOTER_ROLE_FOR', 'DISCORD_GUILD_ID', 'WEBHOOK_SECRET', 'WEBHOOK_EVENTS'] as const;

/** The values of {@link ListingDefaults} by their names, without all others. */
export function pickDefaults<Value>(read: (name: DefaultName) => Value): Readonly<Record<DefaultName, Value>> {
  const specs: readonly SettingSpec[] = settings;
  const names = [...specs.flatMap(({ variable = [] }) => variable), ...otherDefaults] as const;
  return Object.fromEntries(names.map((name) => [name, read(name as DefaultName)])) as Record<DefaultName, Value>;
}

type StatedValue<Spec extends SettingSpec> = z.output<Spec['schema']> | null | undefined;

/** Value that a listing states itself: null if it is switched off, undefined if it is left out. */
export function statedValue<Spec extends SettingSpec>(
  { path }: Spec,
  listing: Partial<StatedListing>,
): StatedValue<Spec> {
  // The listing was parsed by the schemas of the settings.
  return valueAt(listing, path) as StatedValue<Spec>;
}

/** Value that a listing states, or else that of the variable, or of another setting. */
function configuredValue<Spec extends SettingSpec>(
  spec: Spec,
  listing: Partial<StatedListing>,
  defaults: ListingDefaults,
): StatedValue<Spec> {
  const { variable, fromVariable = (value) => value, fallback }: SettingSpec = spec;
  const ofVariable = variable === undefined ? undefined : defaults[variable as DefaultName];
  const stated = statedValue(spec, listing);
  const value = stated === undefined && ofVariable !== undefined ? fromVariable(ofVariable, defaults) : stated;
  return (value ?? (fallback ? configuredValue(fallback, listing, defaults) : value)) as StatedValue<Spec>;
}

/**
 * The guild of each listing: its own `guildId`, else `DISCORD_GUILD_ID`, else the server that it is. A bot belongs to
 * the server if all server listings are the same one. Null if the guild is not known.
 */
export function guildIdsOf(listings: readonly FileListing[], defaultGuildId: string | undefined): (string | null)[] {
  const servers = new Set(listings.filter(({ kind }) => kind === 'server').map(({ id, guildId }) => guildId ?? id));
  const [onlyServer] = servers.size === 1 ? servers : [];
  return listings.map(({ kind, id, guildId }) => {
    return guildId ?? defaultGuildId ?? (kind === 'server' ? id : onlyServer) ?? null;
  });
}

/**
 * Completes listings by what others of their guild state of settings that they share; values that differ are an issue.
 */
function withSharedSettings(sources: readonly ListingSource[], issues: ConfigIssue[]): ListingSource[] {
  const byGuild = Map.groupBy(sources, ({ guildId }) => guildId);
  const shared = new Map([...byGuild].map(([guildId, members]) => [guildId, sharedValues(members, issues)]));
  return sources.map((source) => {
    return { ...source, listing: withValuesAt(source.listing, shared.get(source.guildId) ?? []) };
  });
}

function sharedValues(sources: readonly ListingSource[], issues: ConfigIssue[]) {
  const specs: readonly SettingSpec[] = settings.filter((spec: SettingSpec) => spec.isShared);
  return specs.flatMap((spec) => {
    const read = ({ listing }: ListingSource) => statedValue(spec, listing);
    const [first, ...others] = sources.filter((each) => read(each) !== undefined);
    if (first === undefined) return [];
    const value = read(first);
    const different = others.filter((each) => read(each) !== value && !isEqual(read(each), value));
    issues.push(...different.map((each) => conflictIssue(spec.path, first, each)));
    return [[spec.path, value] as const];
  });
}

function conflictIssue(path: string, first: ListingSource, other: ListingSource): ConfigIssue {
  const listings = `the listings "${first.listing.name}" and "${other.listing.name}"`;
  return {
    setting: `${other.setting}.${path}`,
    problem: `is different in ${listings}, which belong to the same guild (${other.guildId ?? 'not configured'}).`,
    hint: 'Keep it in one of them; the listings of a guild share it. If they have different guilds, set guildId.',
  };
}

/** Listings with everything that they leave out. Contradictions within a guild are added to `issues`. */
export function toListings(
  sources: readonly ListingSource[],
  defaults: ListingDefaults,
  issues: ConfigIssue[],
): ListingConfig[] {
  const listings = withSharedSettings(sources, issues).map((source) => toListing(source, defaults));
  issues.push(...sharedSecretIssues(listings));
  return listings;
}

/** A delivery to a shared address is compared with each of them, which takes at most about a millisecond. */
const maxSharedSecrets = 200;

function sharedSecretIssues(listings: readonly ListingConfig[]): ConfigIssue[] {
  const shared = listings.filter(({ site, ownAddress }) => site === undefined && !ownAddress);
  const secrets = new Set(
    shared.flatMap(({ voteSecrets, premiumSecrets, voteAuthorization }) => [
      ...voteSecrets,
      ...premiumSecrets,
      ...(voteAuthorization === null ? [] : [voteAuthorization]),
    ]),
  );
  if (secrets.size <= maxSharedSecrets) return [];
  const problem = `have ${secrets.size} different secrets, and the shared addresses accept at most ${maxSharedSecrets}.`;
  const hint = 'Set "ownAddress": true for listings whose webhooks have the address /webhooks/<name> of the listing.';
  return [{ setting: 'listings', problem, hint }];
}

/** The listing with everything that it leaves out, but takes nothing from other listings. */
function toListing({ listing, guildId, implied, origin }: ListingSource, defaults: ListingDefaults): ListingConfig {
  const site = siteOf(listing);
  const specs: readonly SettingSpec[] = settings;
  const inEffect = specs.map((spec) => spec.inEffect?.(configuredValue(spec, listing, ofGuild(defaults, guildId))));
  return {
    name: listing.name,
    kind: listing.kind,
    title: listing.title ?? null,
    id: listing.id ?? null,
    implied,
    ...(site && { site }),
    ...(origin === 'setup' && { linked: true as const }),
    ...((origin === 'setup' || listing.ownAddress) && { ownAddress: true as const }),
    lookupKey: listing.lookupKey ?? null,
    voteSecrets: listing.voteSecrets,
    premiumSecrets: listing.premiumSecrets,
    voteAuthorization: listing.voteAuthorization ?? null,
    guildId,
    ...(Object.assign({}, ...inEffect) as SettingsInEffect),
    rewards: rewardsOf(defaults, listing, guildId),
    announcements: readAnnouncements(listing.announcements),
  };
}

/** The defaults of a guild: what belongs to `DISCORD_GUILD_ID` alone is left out for other guilds, if that is set. */
function ofGuild(defaults: ListingDefaults, guildId: string | null): ListingDefaults {
  const { DISCORD_GUILD_ID = guildId } = defaults;
  return DISCORD_GUILD_ID === guildId ? defaults : { ...defaults, VOTER_ROLE_ID: undefined, WEBHOOK_URL: undefined };
}

/**
 * The rewards of a listing: its own in the file, or else those of the variables. `VOTER_ROLE_ID` is a role of
 * `DISCORD_GUILD_ID`.
 *
 * @param listing its part of the file; empty without a file
 */
function rewardsOf(defaults: ListingDefaults, listing: Partial<StatedListing>, guildId: string | null): ListingRewards {
  const { VOTER_ROLE_FOR = 0 } = defaults;
  const own = ofGuild(defaults, guildId);
  const value = <Spec extends SettingSpec>(spec: Spec) => configuredValue(spec, listing, own);
  const role = value(voterRole) ?? null;
  const base = {
    perVote: value(vote) ?? 0,
    perPremium: value(premium) ?? 0,
    whenDenied: value(whenDenied) ?? 0,
    cooldownMs: Math.round((value(cooldownHours) ?? 0) * hour),
    ...siteRules(listing),
  };
  return {
    ...forgeryRules(siteOf(listing)),
    ...plainRewards(base),
    voterRole: role && { role: role.role, forMs: role.for ?? VOTER_ROLE_FOR },
    ...rulesOf(value),
  };
}

function rulesOf(
  read: (spec: SettingSpec) => unknown,
  specs: readonly SettingSpec[] = settings,
): Partial<ListingRewards> {
  return Object.assign({}, ...specs.map((spec) => spec.rules?.(read(spec))));
}

/** Rules that protect a site whose votes can be forged; a vote that the site confirms cannot. */
function forgeryRules(site: SiteSettings | undefined): Added | undefined {
  if (site === undefined) return undefined;
  if (site.confirm) return confirmRule.as(true);
  return trustOf(findSite(site)) === 'token' ? rateAlarmRule.as(true) : undefined;
}

/** The rules of another site. `VOTE_COOLDOWN_HOURS` is for the document's service. */
function siteRules(listing: Partial<StatedListing>): Partial<RewardRules> {
  const settings = siteOf(listing);
  if (settings === undefined) return {};
  const { cooldownMs, retryHorizonMs } = findSite(settings);
  const hours = statedValue(cooldownHours, listing);
  return { site: { retryHorizonMs }, cooldownMs: hours ? Math.round(hours * hour) : cooldownMs };
}

function sourceIssues(sources: readonly ListingSource[], defaults: ListingDefaults): ConfigIssue[] {
  return sources.flatMap((source) => roleIssues(toListing(source, defaults), source.setting));
}

/** Issues with the roles that the settings of a listing name. @param setting where they are configured */
function roleIssues(listing: ListingConfig, setting: string): ConfigIssue[] {
  const roles = rolesNamedBy(listing);
  if (roles.length > 0 && listing.guildId === null) {
    const problem = 'gives or requires a role, but the Discord server (guild) of the role is not configured.';
    return [{ setting, problem, hint: 'Set guildId of the listing, or DISCORD_GUILD_ID, to its id.' }];
  }
  if (guardsRule.in(listing.rewards)?.membersOnly === true && listing.guildId === null) {
    const problem = 'pays members only, but the Discord server (guild) whose members they are is not configured.';
    return [{ setting, problem, hint: 'Set guildId of the listing, or DISCORD_GUILD_ID, to its id.' }];
  }
  if (listing.guildId === null || !roles.includes(listing.guildId)) return [];
  const problem = `gives or requires the role ${listing.guildId}, which is @everyone and cannot be given.`;
  return [{ setting, problem, hint: 'Use the id of another role (server settings → Roles → Copy Role ID).' }];
}

export interface ReadListings {
  readonly listings: readonly ListingConfig[];
  readonly sources: readonly ListingSource[];
  readonly secretFiles: readonly SecretFile[];
}

/** The listings from the file of `TALLYHOOK_CONFIG`, or else from the variables. Issues are added to `issues`. */
export function readListings(values: Values, issues: ConfigIssue[]): ReadListings {
  return values.TALLYHOOK_CONFIG === undefined
    ? listingsFromVariables(values, issues)
    : listingsFromFile(values, values.TALLYHOOK_CONFIG, issues);
}

/**
 * The variables describe one server and one bot. Webhooks of both are received, even if only one of them has an API
 * key. Without API keys and webhook secrets there are none: they are linked with `/setup`.
 */
function listingsFromVariables(values: Values, issues: ConfigIssue[]): ReadListings {
  const isInvalid = (...names: SettingName[]) =>
    issues.some(({ setting }) => names.some((name) => setting === name || setting === `${name}_FILE`));
  const hasNoKey = values.LOOKUP_SERVER_KEY === undefined && values.LOOKUP_BOT_KEY === undefined;
  if (hasNoKey && !isInvalid('LOOKUP_SERVER_KEY', 'LOOKUP_BOT_KEY')) {
    // Where secrets can be stored, listings are linked in Discord, and the operator need not have any.
    const canLink = mayStoreSecrets(values) || isInvalid('DATABASE_URL', 'SETTINGS_KEY', 'NEW_SETTINGS_KEY');
    const hasSecrets = webhookVariables.some((name) => values[name] !== undefined);
    if (canLink && !hasSecrets) return { listings: [], sources: [], secretFiles: [] };
    if (!canLink && !hasSecrets && needsDiscord(rolesOf(values))) {
      issues.push({
        setting: 'LOOKUP_SERVER_KEY / LOOKUP_BOT_KEY',
        problem: 'are both missing, and listings cannot be linked in Discord without SETTINGS_KEY.',
        hint:
          'Set SETTINGS_KEY to the output of `openssl rand -hex 32`, in every process the same, and link your listing ' +
          "with /setup. Or set one of the two to the API key from the service's dashboard (Edit server → Advanced setup).",
      });
    }
  }
  const server = sourceFromVariables(values, 'server', values.LOOKUP_SERVER_KEY);
  // Without a key, a vote that names only its voter is one for the server.
  const sources = [
    hasNoKey ? { ...server, implied: false } : server,
    sourceFromVariables(values, 'bot', values.LOOKUP_BOT_KEY),
  ] as const;
  const listings = toListings(sources, values, issues);
  const isGuildInvalid = issues.some(({ setting }) => setting.startsWith('DISCORD_GUILD_ID'));
  if (!isGuildInvalid) issues.push(...sourceIssues(sources.slice(0, 1), values));
  return { listings, sources, secretFiles: [] };
}

function sourceFromVariables(values: Values, kind: 'server' | 'bot', lookupKey: string | undefined): ListingSource {
  return {
    origin: 'environment',
    setting: 'VOTER_ROLE_ID',
    listing: {
      name: kind,
      kind,
      lookupKey,
      voteSecrets: values.VOTE_WEBHOOK_SECRET ?? [],
      premiumSecrets: values.PREMIUM_WEBHOOK_SECRET ?? [],
      voteAuthorization: values.VOTE_WEBHOOK_AUTHORIZATION,
    },
    implied: lookupKey === undefined,
    guildId: values.DISCORD_GUILD_ID ?? null,
  };
}

const webhookVariables = ['VOTE_WEBHOOK_SECRET', 'PREMIUM_WEBHOOK_SECRET', 'VOTE_WEBHOOK_AUTHORIZATION'] as const;
const listingVariables = ['LOOKUP_SERVER_KEY', 'LOOKUP_BOT_KEY', ...webhookVariables] as const;

function listingsFromFile(values: Values, path: string, issues: ConfigIssue[]): ReadListings {
  for (const setting of listingVariables) {
    if (values[setting] === undefined) continue;
    const hint = 'Move it to its listing in the file, and remove the variable.';
    issues.push({ setting, problem: 'cannot be combined with TALLYHOOK_CONFIG.', hint });
  }
  const formatHint = 'Its schema: `tallyhook config --schema`.';
  const file = parseJsonFile({ path, setting: 'TALLYHOOK_CONFIG', formatHint }, listingsFile, issues);
  const nameOf = (index: number) => `TALLYHOOK_CONFIG listings.${index}`;
  return listedListings(file?.listings ?? [], { nameOf, directory: dirname(path) }, values, issues);
}

/** Where listings are written: the name of one by its index, and where paths begin. */
interface ListingsPlace {
  readonly nameOf: (index: number) => string;
  readonly directory: string;
}

/** The listings of a file or of options. Issues are added to `issues`. */
export function listedListings(
  listed: readonly FileListing[],
  place: ListingsPlace,
  values: Values,
  issues: ConfigIssue[],
): ReadListings {
  const secretFiles: SecretFile[] = [];
  const found = { directory: place.directory, issues, secretFiles };
  const guildIds = guildIdsOf(listed, values.DISCORD_GUILD_ID);
  const sources = listed.map((listing, index): ListingSource => {
    const setting = place.nameOf(index);
    const completed = settings.flatMap(({ path, fromFile }: SettingSpec) => {
      const value = valueAt(listing, path);
      if (value === undefined || fromFile === undefined) return [];
      return [[path, fromFile(value, { ...found, setting: `${setting}.${path}` })] as const];
    });
    const stated = withValuesAt(listing, completed);
    return { origin: 'file', setting, listing: stated, implied: false, guildId: guildIds[index] ?? null };
  });
  const listings = toListings(sources, values, issues);
  issues.push(
    ...listed.flatMap((listing, index) => siteIssues(listing, place.nameOf(index), index)),
    ...sourceIssues(sources, values),
  );
  return { listings, sources, secretFiles };
}

/** A stored setting. A secret is decrypted: an API key, or a list of texts. */
export interface OpenedSetting {
  readonly listing: string;
  readonly path: string;
  readonly value: unknown;
}

/** A stored setting that is not in effect. Without secrets. */
export interface CommunityIssue extends ValueProblem {
  readonly listing: string | null;
  readonly path: string;
  readonly code: 'invalid' | 'everyone_role';
  readonly hint: string;
}

export interface ConfiguredListing {
  readonly listing: ListingConfig;
  readonly source: ListingSource;
}

export type StoredSettings = ReadonlyMap<string | null, readonly OpenedSetting[]>;

/** Each guild with listings of the operator or stored settings: see {@link communityConfig}. */
export function communityConfigs(base: ListingBase, stored: StoredSettings) {
  const guildIds = new Set([...base.sources.map(({ guildId }) => guildId), ...stored.keys()]);
  return [...guildIds].map((guildId) => ({ guildId, ...communityConfig(base, guildId, stored.get(guildId) ?? []) }));
}

/** Variables with ids of one guild, which do not apply to listings of others. */
const guildVariables = [
  'ANNOUNCE_CHANNEL_ID',
  'PREMIUM_CHANNEL_ID',
  'VOTER_ROLE_ID',
  'DISCORD_GUILD_ID',
  'WEBHOOK_URL',
] as const;

/**
 * The listings of a guild: those of the operator and those linked in Discord, with the settings that `/setup` stored. A
 * setting that is not valid is left out and reported.
 */
export function communityConfig(base: ListingBase, guildId: string | null, settings: readonly OpenedSetting[]) {
  const issues: CommunityIssue[] = [];
  const values = parseAll(settings, issues);
  const ownSources = base.sources.filter((source) => source.guildId === guildId);
  const linkedDefaults = defaultsForLinked(base.defaults, guildId);
  const ofOperator = [
    ...ownSources.map(({ listing }) => [listing, base.defaults] as const),
    [{}, linkedDefaults] as const,
  ];
  const shared = joinParts(values.get('') ?? new Map<string, unknown>(), (spec) =>
    ofOperator
      .map(([listing, defaults]) => configuredValue(spec, listing, ofGuild(defaults, guildId)))
      .find((value) => value !== undefined),
  );
  const stated = [...ownSources, ...linkedSources(base, guildId, settings)].map((source) =>
    withSettings(source, new Map([...shared, ...(values.get(source.listing.name) ?? [])])),
  );
  const configured = withSharedSettings(stated, []).map((source) => {
    return { source, listing: toListing(source, source.origin === 'setup' ? linkedDefaults : base.defaults) };
  });
  const listings = configured.map(({ listing }) => listing);
  for (const listing of listings) {
    const secretProblem = headerSecretProblem(listing);
    if (secretProblem !== null)
      issues.push({
        listing: listing.name,
        path: 'voteSecrets',
        code: 'invalid',
        rule: rule('ascii'),
        ...secretProblem,
      });
    for (const { setting: path, problem, hint } of roleIssues(listing, 'rewards')) {
      issues.push({ listing: listing.name, path, code: 'everyone_role', rule: rule('everyone'), problem, hint });
    }
  }
  return { listings, configured, issues };
}

function parseAll(settings: readonly OpenedSetting[], issues: CommunityIssue[]): Map<string, Map<string, unknown>> {
  const values = new Map<string, Map<string, unknown>>();
  for (const { listing, path, value } of settings) {
    const parsed = parseSetting(listing, path, value);
    if (!parsed.valid) {
      const issue = { listing: listing || null, path, code: 'invalid', hint: 'Change it with /setup.' } as const;
      issues.push(...parsed.problems.map((problem) => ({ ...issue, ...problem })));
      continue;
    }
    const ofListing = values.get(listing) ?? new Map<string, unknown>();
    values.set(listing, ofListing.set(path, parsed.value));
  }
  return values;
}

/** Names of the operator's listings take precedence. */
function linkedSources(base: ListingBase, guildId: string | null, settings: readonly OpenedSetting[]): ListingSource[] {
  return settings
    .filter(({ path, listing }) => path === linkPath && base.sources.every((each) => each.listing.name !== listing))
    .flatMap(({ listing: name, value }) => {
      const link = parseLink(value);
      if (link === null) return [];
      const { kind, id, site, custom } = link;
      const listing = { name, kind, id: id ?? undefined, site, custom, voteSecrets: [], premiumSecrets: [] };
      return [{ origin: 'setup', setting: name, listing, implied: false, guildId } as const];
    });
}

/** A listing with a key in Discord is configured, even if it was only implied by the variables. */
function withSettings(source: ListingSource, values: ReadonlyMap<string, unknown>): ListingSource {
  const implied = source.implied && !values.has('lookupKey') && !values.has('voteSecrets');
  const settings = [...values].filter(([path]) => path !== linkPath);
  return { ...source, implied, listing: withValuesAt(source.listing, settings) };
}

function defaultsForLinked(defaults: ListingDefaults, guildId: string | null): ListingDefaults {
  if (defaults.DISCORD_GUILD_ID === guildId) return defaults;
  const others = Object.entries(defaults).filter(([name]) => !guildVariables.some((each) => each === name));
  return Object.fromEntries(others);
}

const otherRewards = rewards.extend({ timeZone: timeZone.optional() });

/**
 * The listings with the rewards of a file in place of their own. Credits per vote and premium that the file leaves out
 * stay as they are; any other rule that it leaves out is off. The party and the time zone are those of the community.
 * @param options.path of a JSON file with the content of `rewards` of a listing, and optionally `timeZone`
 * @param options.listing name of the only listing that gets them; null for all
 * @throws InvalidConfigError with all issues of the file
 */
export function withOtherRewards(
  listings: readonly ListingConfig[],
  { path, listing: name }: { readonly path: string; readonly listing: string | null },
): ListingConfig[] {
  const issues: ConfigIssue[] = [];
  const formatHint = 'It must have the format of `rewards` of a listing, see docs/configuration.md.';
  const file = parseJsonFile({ path, setting: '--rules', formatHint }, otherRewards, issues);
  if (file === undefined) throw new InvalidConfigError(issues);
  const { timeZone: zone, ...rules } = file;
  const sharedSpecs = settings.filter(({ isShared }: SettingSpec) => isShared);
  // What is in effect of these rules is the same in the file.
  const sharedRulesOf = (listing: ListingConfig) =>
    rulesOf(({ path, inFile }) => valueAt({ rewards: rules }, path) ?? inFile(listing), sharedSpecs);
  return listings.map((listing) => {
    const { guildId, rewards: current } = listing;
    const shared = { ...listing, timeZone: zone ?? listing.timeZone };
    const sharedRules = name === null ? {} : sharedRulesOf(listing);
    if (name !== null && listing.name !== name) return { ...shared, rewards: { ...current, ...sharedRules } };
    const { perVote, perPremium, whenDenied, cooldownMs } = current.base;
    const { site } = listing;
    const own = {
      rewards: { vote: perVote, premium: perPremium, whenDenied, ...rules },
      cooldownHours: cooldownMs / hour,
      ...(site && { site: site.id, custom: site.custom }),
    };
    return { ...shared, rewards: { ...rewardsOf({}, own, guildId), ...sharedRules } };
  });
}
