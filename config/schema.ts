import type { KeySources } from '@tallyhook/platform/encryption/encryption';
import type { ConfigIssue } from '@tallyhook/platform/invalid-config-error';
import type { LogLevel } from '@tallyhook/platform/log';
import type { ExporterOptions } from '@tallyhook/platform/tracing/exporter-options';
import type { SettingsInEffect } from '../src/core/settings/setting-spec.ts';
import type { SettingPath, SettingVariable } from '../src/features/settings.ts';
import type { SiteSettings } from '../src/webhook/sites/index.ts';
import type { FileListing } from './listings-file.ts';
import type { Role, SettingSource, Values } from './settings.ts';

/** A listing that was unlinked: its name in the ledger, and the Discord id of the server or bot. */
export interface FormerLink {
  readonly name: string;
  readonly kind: 'server' | 'bot';
  readonly id: string;
  readonly site?: string | undefined;
}

/**
 * A listing in the configuration: one server or bot on the service, with its own API key and secrets.
 * @category Start here
 */
export interface ListingConfig {
  /** Permanent name in the ledger. */
  readonly name: string;
  readonly kind: 'server' | 'bot';
  /** Name that people read; null to call it as its site or Discord does. */
  readonly title: string | null;
  /** Discord id of the server or bot; null if it is not configured. */
  readonly id: string | null;
  /** API key; null disables lookups for this listing. */
  readonly lookupKey: string | null;
  /** All of them are valid, for rotation. Without any, signed votes are rejected. */
  readonly voteSecrets: readonly string[];
  /** Secrets of premium events, all of which are valid. */
  readonly premiumSecrets: readonly string[];
  /** Authorization header with which unsigned server votes are accepted; null rejects unsigned votes. */
  readonly voteAuthorization: string | null;
  /** Channel for vote announcements; null disables them. */
  readonly announceChannelId: string | null;
  /** Channel for premium announcements; null disables them. */
  readonly premiumChannelId: string | null;
  /** The guild of the community (Discord id), where roles are given; null if it is not known. */
  readonly guildId: string | null;
  /** IANA name. Listings of the same guild have the same time zone, owner's channel, streak, party and shop. */
  readonly timeZone: string;
  /** Channel for reports to the owner; null for none. */
  readonly ownerChannelId: string | null;
}

/** Parts of a listing that the program alone uses. @internal */
export interface ListingConfig extends SettingsInEffect {
  /** Not configured explicitly: the variables describe a server and a bot, and this one of the two has no API key. */
  readonly implied: boolean;
  /** The other site that it is on; missing for the document's service. */
  readonly site?: SiteSettings;
  /** Linked in Discord by the owner of the guild, and neither in the file nor in the variables. */
  readonly linked?: true;
  /** True if the listing's secrets are valid at its own address alone, as those of every linked listing. */
  readonly ownAddress?: true;
  /** Listings that were linked in Discord before in its guild, so that votes of the same server or bot are found. */
  readonly formerLinks?: readonly FormerLink[];
}

/** Where a listing is configured. `setup`: it was linked in Discord. */
export type ListingOrigin = 'environment' | 'file' | 'setup';

type OrNull<Values> = { readonly [Name in keyof Values]: Values[Name] | null };
type Group = 'rewards' | 'announcements';

/** A listing as in the file. Null: switched off by `/setup`. Undefined: left out, so that a default is in effect. */
export type StatedListing = Omit<FileListing, SettingPath | Group> &
  OrNull<Pick<FileListing, keyof FileListing & SettingPath>> & {
    readonly [Name in Group]?: OrNull<NonNullable<FileListing[Name]>> | undefined;
  };

/** A listing before what it leaves out is taken from the variables, the other listings of its guild, or a default. */
export interface ListingSource {
  readonly origin: ListingOrigin;
  /** The name of the setting in an issue. */
  readonly setting: string;
  readonly listing: StatedListing;
  /** See {@link ListingConfig.implied}. */
  readonly implied: boolean;
  readonly guildId: string | null;
}

/** Configuration of the operator, to which the settings of communities are added. */
export interface ListingBase {
  readonly sources: readonly ListingSource[];
  readonly defaults: ListingDefaults;
  readonly defaultSources: DefaultSources;
}

/** A variable that a listing takes values from. */
export type DefaultName = SettingVariable | 'VOTER_ROLE_FOR' | 'DISCORD_GUILD_ID' | 'WEBHOOK_SECRET' | 'WEBHOOK_EVENTS';
/** The variables that a listing takes values from. */
export type ListingDefaults = Partial<Pick<Values, DefaultName>>;
/** Where these variables come from. */
export type DefaultSources = Readonly<Record<DefaultName, SettingSource>>;

/** The connection to Discord. @category Start here */
export interface DiscordConfig {
  /** Empty if the process only receives webhooks and has none. */
  readonly token: string;
  /** The address of Discord's API, without the version. */
  readonly apiUrl: string;
  /** Null registers the commands globally. */
  readonly guildId: string | null;
  /** The application's Ed25519 key (hex); null receives interactions through the gateway instead of over HTTP. */
  readonly publicKey: string | null;
}

/** All settings, validated and frozen. @category Start here */
export interface Config {
  /** Parts of tallyhook that this process runs. At least one. */
  readonly roles: readonly Role[];
  readonly discord: DiscordConfig;
  /** Ends in `/api/v1`, without a trailing slash. Empty if the process only receives webhooks. */
  readonly lookup: { readonly baseUrl: string };
  /** Replaces the origin of every request to the API of another listing site; null for those of the sites. */
  readonly siteApiUrl: string | null;
  /** True if the counts of the bot are sent to the sites of its listings regularly. */
  readonly postServerCount: boolean;
  readonly listings: readonly ListingConfig[];
  /** The listings as they are configured, to which the settings of communities are added. @internal */
  readonly base: ListingBase;
  /** True if members may have themselves reminded of their next vote. */
  readonly reminders: boolean;
  /** How long the bodies of deliveries and effects that are done are kept (ms); null forever. */
  readonly keep: { readonly bodiesMs: number | null; readonly effectsMs: number | null };
  /** Most that each listing that was linked in Discord may send in an hour to one process. */
  readonly linkedQuota: { readonly maxDeliveries: number; readonly maxBytes: number };
  /** `sqlite:` and a path, or `postgres://…`. */
  readonly databaseUrl: string;
  /** `memory:`, `sqlite:` and a path, or `redis://…` (also `rediss://…`). */
  readonly cacheUrl: string;
  /** Port 0 selects any free port. */
  readonly http: { readonly host: string; readonly port: number };
  /** The address under which the internet reaches the program, without a trailing slash; null if it is not known. */
  readonly publicUrl: string | null;
  /** For linked roles, which also need {@link publicUrl}; null switches them off. */
  readonly clientSecret: string | null;
  /** Secret of the operator's integration at top.gg, which also needs {@link publicUrl}; null switches it off. */
  readonly topggIntegrationSecret: string | null;
  /** The keys of secrets in the database. @internal */
  readonly encryption: KeySources;
  /** Null disables the owner API and the console. */
  readonly ownerToken: string | null;
  /** True if events may also be sent to private addresses, over http and https. */
  readonly webhookPrivateTargets: boolean;
  /** Where `tallyhook doctor` looks for the latest release; null for nowhere. @internal */
  readonly updateCheckUrl: string | null;
  readonly logLevel: LogLevel;
  /** `auto` is `pretty` on a terminal and `json` elsewhere. */
  readonly logFormat: 'auto' | 'json' | 'pretty';
  /** Where spans are sent; null without a collector. @internal */
  readonly tracing: ExporterOptions | null;
  /** Likely mistakes that do not make the configuration invalid. */
  readonly warnings: readonly ConfigIssue[];
  /**
   * All secrets in the configuration, to be redacted from logs, except the codes of the shop: there can be thousands,
   * and each costs time for every line; short ones would also hide ids and ordinary words that contain them.
   */
  readonly secrets: readonly string[];
}
