import type { Clock } from '@tallyhook/platform/clock';
import { InvalidConfigError } from '@tallyhook/platform/invalid-config-error';
import type { Logger } from '@tallyhook/platform/logger';
import { callback, checkOptions, clock, instance } from '@tallyhook/platform/options';
import { z } from 'zod';
import type { CommandOptions } from '../commands/custom-command.ts';
import type { RecordedDelivery } from '../src/core/tally/tally.ts';
import type { DiscordClient } from '../src/discord/gateway/own-client.ts';
import type { Handlers } from '../src/features/handlers/handlers.ts';
import type { TextOverrides } from '../src/texts/texts.ts';
import type { Environment } from './environment.ts';
import { listing as fileListing } from './listings-file.ts';
import { appSettings, configOfOptions } from './load.ts';
import {
  appHandlers,
  codeOptions,
  hintForHandlers,
  hintForListings,
  hintForOption,
  type ReceiverListing,
  type ReceiverRewards,
} from './receiver-options.ts';
import type { Config } from './schema.ts';
import { type Role, settingNames } from './settings.ts';

/**
 * Everything that an app needs, in code. A setting has the meaning and the limits of the environment variable of the
 * same purpose.
 * @category Start here
 */
export interface AppOptions {
  /** The bot token (`DISCORD_TOKEN`). Only an app with the role `receive` alone needs none. */
  readonly token?: string | undefined;
  /** How Discord is reached; everything has a default. */
  readonly discord?: {
    /** The base of the REST API, such as that of a local Discord. */
    readonly apiUrl?: string;
    /** Discord ID: the commands are registered in this guild only, and listings belong to it that name none. */
    readonly guildId?: string;
    /** The application's public key (64 hex digits): receives commands over HTTP instead of through the gateway. */
    readonly publicKey?: string;
    /** The application's client secret, for linked roles, which also need `publicUrl`. */
    readonly clientSecret?: string;
  };
  /** The lookup API of the listing service: its URL ends in `/api/v1`. Required by listings with a `lookupKey`. */
  readonly lookup?: { readonly baseUrl: string };
  /** Replaces the origin of every request to the API of another listing site, for tests and proxies. */
  readonly siteApiUrl?: string;
  /**
   * Sends the bot's number of servers to the sites of its listings that take it, every 30 minutes; false by default. See
   * `App.postServerCount`.
   */
  readonly postServerCount?: boolean;
  /** Secret of your integration at top.gg, for its Connect, which also needs `publicUrl`. */
  readonly topggIntegrationSecret?: string;
  /** Each server and bot with its secrets. Without any, listings are linked in Discord with `/setup`. */
  readonly listings?: readonly AppListing[];
  /**
   * The path of a SQLite file, which is created, or `postgres://user:password@host/database`; `data/tallyhook.db` by
   * default. With `:memory:`, a temporary file that `stop` deletes: for tests only.
   */
  readonly database?: string;
  /** Cache of what lookups returned: the path of a file, `redis://host:6379` or `memory:`, the default. */
  readonly cache?: string;
  /** Where `start` listens; 127.0.0.1 and 3000 by default. Port 0 selects a free port. */
  readonly host?: string;
  readonly port?: number;
  /** The address under which the internet reaches the program: `https://votes.example.com`. */
  readonly publicUrl?: string;
  /** The token of the owner's API and console, which are off without it. */
  readonly ownerToken?: string | undefined;
  /** True if events may also be sent to private addresses, of the network of this program; false by default. */
  readonly webhookPrivateTargets?: boolean;
  /** Parts of tallyhook that this process runs; `['receive', 'announce', 'answer']` by default. */
  readonly roles?: readonly Role[];
  /** Reminders of the next vote, which members switch on for themselves; true by default. */
  readonly reminders?: boolean;
  /** How long bodies of deliveries and effects that are done are stored: `30d`, or `forever`, the default. */
  readonly keep?: { readonly bodies?: string; readonly effects?: string };
  /** Most that each listing that was linked in Discord may send in an hour; 20,000 deliveries and 20 MiB by default. */
  readonly linkedQuota?: { readonly deliveriesPerHour?: number; readonly mibPerHour?: number };
  /** The key of the secrets that `/setup` stores, 32 bytes in hex; by default in a file beside the SQLite file. */
  readonly settingsKey?: string | undefined;
  /** The next `settingsKey` while it is replaced. */
  readonly newSettingsKey?: string | undefined;
  /** Your own functions for events. */
  readonly handlers?: Handlers;
  /**
   * Your discord.js client, for the commands instead of a connection of tallyhook's own. Log it in with the token of
   * the settings, before or after `start`, and destroy it yourself. Not used with a `publicKey`.
   */
  readonly client?: DiscordClient;
  /** Your own slash commands, beside those of tallyhook, and which of those are left out. */
  readonly commands?: CommandOptions;
  /** Your own texts in place of those of tallyhook. See {@link TextOverrides}. */
  readonly texts?: TextOverrides;
  /** Called for every stored delivery, after its commit, in this process only; unlike a handler, it is not repeated. */
  readonly onRecorded?: (recorded: RecordedDelivery) => void;
  /** Any logger, such as `console`; by default warnings and errors are JSON lines on stdout. Secrets are removed. */
  readonly log?: Logger;
  /** The clock of this machine by default. */
  readonly clock?: Clock;
}

/** Options of an app beside its settings: your code, and what it runs with. */
export type AppDependencies = Pick<
  AppOptions,
  'handlers' | 'client' | 'commands' | 'texts' | 'onRecorded' | 'log' | 'clock'
>;

const dependencies = z.strictObject({
  ...codeOptions,
  handlers: appHandlers.optional(),
  client: instance.optional(),
  commands: instance.optional(),
  texts: instance.optional(),
} satisfies Record<keyof AppDependencies, z.ZodType>);

/** The dependencies of an app with a ready configuration, also those of programs within the package. */
const internalDependencies = dependencies.extend({
  onAttempted: callback.optional(),
  wrapListener: callback.optional(),
  stopwatch: clock.optional(),
});

const appOptions = z.strictObject({
  ...appSettings,
  ...dependencies.shape,
} satisfies Record<keyof AppOptions, z.ZodType>);

/**
 * Options of an app as its configuration.
 * @param environment the variables that they complete; null if all settings are in the options
 * @throws InvalidConfigError with all issues
 */
export function readAppOptions(options: unknown, environment: Environment | null): Config {
  const caller = environment === null ? 'createApp' : 'createApp.fromEnvironment';
  if (environment === null) rejectEnvironment(options);
  else checkOptions(caller, environment, z.looseObject({}), () => `Pass the environment: ${caller}(process.env).`);
  return configOfOptions(checkOptions(caller, options, appOptions, hintFor(options)), environment);
}

function rejectEnvironment(options: unknown): void {
  if (typeof options === 'object' && options !== null && ['PATH', ...settingNames].some(isIn(options))) {
    const problem = 'is not an object of options, but variables of the environment.';
    const hint = 'Use createApp.fromEnvironment(process.env).';
    throw new InvalidConfigError([{ setting: 'options', problem, hint, path: [] }], 'createApp');
  }
}

function hintFor(options: unknown) {
  return (path: readonly (string | number)[]): string => {
    switch (path[0]) {
      case undefined:
        return 'Pass an object, such as { token, lookup: { baseUrl }, listings: […], database }, or use createApp.fromEnvironment(process.env).';
      case 'listings':
        return hintForListings(path, options);
      case 'handlers':
        return hintForHandlers(path[1], appHandlers);
      default:
        return hintForOption(path[0], appHandlers);
    }
  };
}

/** True if a value is a result of `loadConfig`, perhaps with changes, instead of options. */
export function isConfig(value: unknown): value is Config {
  return typeof value === 'object' && value !== null && ['databaseUrl', 'cacheUrl', 'secrets'].every(isIn(value));
}

/** Checks a configuration and what goes with it. @throws InvalidConfigError with all issues */
export function checkConfigured(settings: unknown, options: unknown): void {
  checkConfig('createApp', settings);
  checkOptions('createApp', options, internalDependencies, hintFor(options));
}

/** Checks that a value is a configuration. @throws InvalidConfigError with all issues */
export function checkConfig(caller: string, settings: unknown): void {
  if (!isConfig(settings)) {
    const problem = 'is not a configuration.';
    const hint = `Pass the result of loadConfig, which reads the environment: ${caller}(loadConfig(…), …).`;
    throw new InvalidConfigError([{ setting: 'config', problem, hint, path: [] }], caller);
  }
  const present = z.custom((value) => value !== undefined, 'it is part of every result of loadConfig');
  const complete = Object.keys(configOfOptions({ roles: ['receive'] }, null)).map((name) => [name, present]);
  const schema = z.strictObject(Object.fromEntries(complete));
  checkOptions(caller, settings, schema, () => 'Pass the result of loadConfig, with your changes.');
}

function isIn(value: object): (key: string) => boolean {
  return (key) => key in value;
}

/**
 * Rewards of votes and premium, with roles and parties. Durations are texts: `90s`, `30m`, `12h`, `7d`.
 * @category Start here
 */
export interface AppRewards extends Omit<ReceiverRewards, 'milestones'> {
  /** Multipliers of votes; one with a `role` (Discord ID) applies to its members only. */
  readonly multipliers?: readonly (NonNullable<ReceiverRewards['multipliers']>[number] & { readonly role?: string })[];
  /** With a `role`, members who reached it get that role. */
  readonly milestones?: readonly ({ readonly credits?: number; readonly role?: string } & (
    | { readonly votes: number; readonly per?: 'week' | 'month' }
    | { readonly everyVotes: number }
  ))[];
  /** Members keep the roles of `all` reached milestones (the default), or of the `highest` only. */
  readonly milestoneRoles?: 'all' | 'highest';
  /** A role that each vote extends; for 12 hours by default. */
  readonly voterRole?: { readonly role: string; readonly for?: string };
  /** Roles by the name of the premium tier; `*` is for all other tiers. */
  readonly premiumRoles?: Readonly<Record<string, string>>;
  /** A goal that the community reaches together: credits for everyone who voted in the period. */
  readonly party?: { readonly goal: number; readonly per: 'day' | 'week' | 'month'; readonly credits: number };
  /** Credits and roles for the best places of a week or month. */
  readonly prizes?: readonly {
    readonly per: 'week' | 'month';
    readonly by: 'votes' | 'credits' | 'streak';
    /** A place or range of places; with a `role`, it is held until the next settlement. */
    readonly places: readonly {
      readonly from: number;
      readonly to?: number;
      readonly credits?: number;
      readonly role?: string;
    }[];
    /** Counted votes of the period without which a member has no place; 1 by default. */
    readonly minVotes?: number;
  }[];
  /** Credits for some of those who vote in a week or month, by chance: anybody can check the draw. */
  readonly raffle?: {
    readonly per: 'week' | 'month';
    /** How many members win, at most 25. */
    readonly winners: number;
    /** For each winner. */
    readonly credits: number;
    /** 1 by default. */
    readonly ticketsPerVote?: number;
    /** Most tickets of one member; 100,000 by default. */
    readonly maxTickets?: number;
  };
  /** Credits that a member may give to others in a calendar day, with `/gift`; by default none. */
  readonly giftLimit?: number;
}

/**
 * How votes are announced. Placeholders of `title` and `text`: `{mention}`, `{listing}`, `{credits}` and others.
 * @category Start here
 */
export interface AppAnnouncements {
  /** Each vote (the default), a digest of all votes at intervals, or none. */
  readonly mode?: 'each' | 'digest' | 'none';
  /** The interval of digests, from `5m` to `30d`; `1h` by default. */
  readonly every?: string;
  readonly title?: string;
  readonly text?: string;
  /** `#RRGGBB`. */
  readonly colour?: string;
  /** The https URL of an image. */
  readonly thumbnail?: string;
  readonly voteButton?: boolean;
  /**
   * Parts of a vote that are shown: the avatar and name of the voter, the icon of the server, the streak, the credits
   * as a heading.
   */
  readonly avatar?: boolean;
  readonly icon?: boolean;
  readonly streak?: boolean;
  readonly largeCredits?: boolean;
  readonly reviews?: boolean;
  readonly milestones?: boolean;
  readonly premium?: boolean;
  readonly party?: boolean;
  readonly prizes?: boolean;
  readonly raffle?: boolean;
  /** `true` announces ends of streaks, a number those of at least so many days. */
  readonly lostStreaks?: boolean | number;
  /** A locale of Discord; that of the guild by default. */
  readonly language?: string;
}

/**
 * Something that members buy with credits: exactly one of `role`, `codes` and `manual` says what they get.
 * @category Start here
 */
export interface AppShopItem {
  /** Permanent: at most 32 letters, digits, dashes and underscores. */
  readonly id: string;
  /** 1 to 80 characters. */
  readonly name: string;
  /** Whole credits. */
  readonly price: number;
  /** Discord ID of a role, and how long the buyer has it: `7d`. */
  readonly role?: string;
  readonly for?: string;
  /** Each is given to one buyer. */
  readonly codes?: readonly string[];
  /** The path of a text file with one code per line. */
  readonly codesFile?: string;
  /** The owner fulfils the purchase, which is reported in `ownerChannelId`. */
  readonly manual?: true;
  /** How often it can be bought in total. */
  readonly stock?: number;
  /** Only members with this role (Discord ID) can buy it. */
  readonly needsRole?: string;
  /** How often each member can buy it. */
  readonly limit?: number;
  /** From when until when it is sold, in ISO 8601 with a time zone. */
  readonly from?: string;
  readonly until?: string;
  /** Below the name: up to 200 characters. */
  readonly description?: string;
  /** One emoji, or one of the server as `<:name:id>`. */
  readonly emoji?: string;
  /** The https address of a small picture. */
  readonly picture?: string;
}

/**
 * A server or bot on the listing service, with the names and limits of the file of `TALLYHOOK_CONFIG`.
 * @category Start here
 */
export interface AppListing extends Omit<ReceiverListing, 'rewards'> {
  /**
   * Its API key, for lookups. Without one, `/canvote` knows only the votes that were delivered, and `/reviews` and
   * `/claim` are not offered.
   */
  readonly lookupKey?: string;
  /** Name that people read, 1 to 60 characters; by default its name in Discord, or else its name on the site; on the listing service the other way round. */
  readonly title?: string;
  /** The channel for announcements of votes (Discord ID); without it there are none. */
  readonly announceChannelId?: string;
  /** The channel for announcements of premium (Discord ID); by default that of votes. */
  readonly premiumChannelId?: string;
  /** The channel for reports to the owner. */
  readonly ownerChannelId?: string;
  /** The channel in which members are reminded who accept no direct messages, if they choose it. */
  readonly reminderChannelId?: string;
  readonly rewards?: AppRewards;
  /** Whose votes are not paid, and who is on no leaderboard: `minAccountAge` is a duration such as `30d`, the lists are Discord IDs. */
  readonly guards?: {
    readonly minAccountAge?: string;
    readonly membersOnly?: boolean;
    readonly blocked?: readonly string[];
    readonly hiddenRoles?: readonly string[];
  };
  /** A page on the web for everyone, at `/c/<slug>`. */
  readonly publicPage?: { readonly slug: string };
  /** Up to 10 addresses that receive signed events, such as `vote.recorded`; all events by default. */
  readonly webhooks?: readonly {
    readonly url: string;
    /** They sign the requests: `whsec_…`, or any text of 16 characters or more. */
    readonly secrets: readonly string[];
    readonly events?: readonly string[];
  }[];
  readonly announcements?: AppAnnouncements;
  readonly shop?: readonly AppShopItem[];
}

fileListing.shape satisfies Record<keyof AppListing, z.ZodType>;
