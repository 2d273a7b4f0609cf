import { expectedDuration } from '@tallyhook/platform/duration-text';
import { expectedKey, parseEncryptionKey } from '@tallyhook/platform/encryption/encryption-key';
import { logLevels } from '@tallyhook/platform/log';
import {
  botTokenForm,
  clientSecretForm,
  databaseUrlForm,
  headerSecretForm,
  hostForm,
  httpUrlForm,
  pasted,
  portForm,
  secretForm,
  unwrap,
} from '@tallyhook/platform/pasted-forms';
import { samplers } from '@tallyhook/platform/tracing/exporter-options';
import { z } from 'zod';
import { announceChannelId } from '../src/core/settings/listing-settings.ts';
import { premium, vote, whenDenied } from '../src/core/settings/reward-settings.ts';
import { apiKey, channelId, duration, guildId, roleId } from '../src/core/settings/value-schemas.ts';
import { eventTypes } from '../src/features/events/event-types.ts';
import { endpointSecret, endpointUrl } from '../src/features/events/settings.ts';

/** A setting of the program: an environment variable, or `NAME_FILE` with the path of a file that holds its value. */
export interface Variable<Value = unknown> {
  readonly schema: z.ZodType<Value>;
  /** Description of a valid value; it completes the hint "Set it to …". */
  readonly expected: string;
  /** Text of the value if the setting is not set. */
  readonly default?: string;
  /** Wish of a reader who needs it; it completes "I want …". */
  readonly wish: string;
  /** Explanation in Markdown; links are relative to `docs/`. */
  readonly description: string;
  /** One of the two with which a bot starts. */
  readonly isFirst?: true;
  /** Never shown or logged. */
  readonly secret?: true;
  /** Only the password of the URL is secret; the rest is shown. */
  readonly isAddress?: true;
  /** A text that may begin and end with quotation marks: its schema says what becomes of them. */
  readonly isFreeText?: true;
}

function variable<Value>(declared: Variable<Value>): Variable<Value> {
  return declared;
}

/** The value of a pasted text, or what is wrong with its form (null: see `expected`), without anything of the text. */
export function readSetting<Value>(
  { schema, isFreeText }: Variable<Value>,
  text: string,
): { readonly success: true; readonly data: Value } | { readonly success: false; readonly problem: string | null } {
  const result = schema.safeParse(isFreeText ? text : unwrap(text));
  if (result.success) return result;
  return {
    success: false,
    problem: result.error.issues.find(({ message }) => message.startsWith('it '))?.message ?? null,
  };
}

function group<Settings extends Readonly<Record<string, Variable>>>(title: string, settings: Settings) {
  return { title, settings };
}

const text = z.string().min(1);

export { channelId, guildId, roleId };

const expectedId = 'a Discord id, digits only: enable Developer Mode (Settings → Advanced) and use "Copy ID"';

const httpUrl = pasted(httpUrlForm).transform((url) => url.replace(/(?<!\/)\/+$/, ''));

/** A whole number from `min` to `max`, written in digits only. */
function digits(min: number, max: number): z.ZodType<number, string> {
  return z.string().regex(/^\d+$/).transform(Number).pipe(z.int().min(min).max(max));
}

const decimal = z
  .string()
  .regex(/^\d+(\.\d+)?$/)
  .transform(Number);

function listOf<Value extends string>(item: z.ZodType<Value, string>): z.ZodType<Value[], string> {
  return z
    .string()
    .transform((list) => list.split(',').map((each) => each.trim()))
    .pipe(z.array(item).min(1));
}

/**
 * The parts of tallyhook that a process runs. `receive`: the webhooks. `announce`: the outbox and everything that fills
 * it by time. `answer`: commands and components.
 */
export const roles = ['receive', 'announce', 'answer'] as const;

/** A part of tallyhook that a process runs. @category Start here */
export type Role = (typeof roles)[number];

/** True if any of these roles talks to Discord and to the listing service. */
export function needsDiscord(active: readonly Role[]): boolean {
  return active.some((role) => role !== 'receive');
}

/** The active roles; all, unless `TALLYHOOK_ROLES` has a valid value. */
export function rolesOf({
  TALLYHOOK_ROLES,
}: {
  readonly TALLYHOOK_ROLES: readonly Role[] | undefined;
}): readonly Role[] {
  return TALLYHOOK_ROLES ?? roles;
}

const discord = group('Discord', {
  DISCORD_TOKEN: variable({
    schema: pasted(botTokenForm),
    expected: 'the bot token from the Discord developer portal (your application → Bot → Reset Token)',
    secret: true,
    isFirst: true,
    wish: 'my bot online',
    description:
      'The bot token (developer portal → your application → Bot → Reset Token). Without it `npm start` and `npx tallyhook` run the sandbox; with `NODE_ENV=production` or `TALLYHOOK_ROLES` that is an error, unless the process only receives.',
  }),
  DISCORD_API_URL: variable({
    schema: httpUrl,
    expected: 'an http(s) URL',
    default: 'https://discord.com/api',
    wish: 'another Discord, such as a proxy',
    description: 'Base URL of the REST API, which also returns the URL of the gateway.',
  }),
  DISCORD_GUILD_ID: variable({
    schema: guildId,
    expected: expectedId,
    wish: 'commands in one server only',
    description: 'Register the commands in this guild only. It is also the guild in which roles are given.',
  }),
  DISCORD_PUBLIC_KEY: variable({
    schema: z
      .string()
      .regex(/^[0-9a-f]{64}$/i)
      .toLowerCase(),
    expected:
      "the application's public key, 64 hexadecimal digits (developer portal → your application → General Information)",
    wish: 'commands on many machines, without a gateway',
    description:
      "The application's public key (developer portal → General Information): receive [commands over HTTP](operations.md#commands-over-http) at `/interactions`. Then run `tallyhook register --http --url https://your.domain/interactions`.",
  }),
  DISCORD_CLIENT_SECRET: variable({
    schema: pasted(clientSecretForm),
    expected: 'the client secret from the Discord developer portal (your application → OAuth2 → Reset Secret)',
    secret: true,
    wish: "Discord's linked roles",
    description:
      "The application's client secret (developer portal → OAuth2): members can link their account for [linked roles](linked-roles.md), managers of a server can [sign in to the console](owner.md#sign-in-with-discord), and members to [their own page](public-pages.md#the-page-of-a-member). Needs `PUBLIC_URL`.",
  }),
});

const expectedSecrets = "the secret from the service's dashboard; separate several with commas, without empty ones";

/** The path of the API is certain after an address without one. */
function withApiPath(url: string): string {
  return /^https?:\/\/[^/?#]+$/.test(url) ? `${url}/api/v1` : url;
}

const service = group('The listing service', {
  LOOKUP_BASE_URL: variable({
    schema: httpUrl.transform(withApiPath).refine((url) => url.endsWith('/api/v1')),
    expected:
      'the http(s) URL of the lookup API, ending in /api/v1 (a listing on top.gg or another site needs none: leave it out)',
    wish: 'votes of my listing service',
    description:
      'Address of the lookup API of the listing service; ends in `/api/v1`. Needed with an API key, and to link a listing of the service in Discord. Without it, `/canvote` knows the votes that were delivered, and `/reviews` and `/claim` are not offered.',
  }),
  LOOKUP_SERVER_KEY: variable({
    schema: apiKey,
    expected: "the server's API key, without spaces (service's dashboard: Edit server → Advanced setup)",
    secret: true,
    wish: 'the key of my server here instead of in Discord',
    description:
      'API key of the server (dashboard → Edit server → Advanced setup), unless it is linked in Discord with [`/setup`](setup.md#in-discord), which on PostgreSQL needs `SETTINGS_KEY`. A command that nothing can serve is not offered.',
  }),
  LOOKUP_BOT_KEY: variable({
    schema: apiKey,
    expected: "the bot's API key from the service's dashboard, without spaces",
    secret: true,
    wish: 'the key of my bot here instead of in Discord',
    description:
      'API key of the bot from the dashboard, unless it is linked in Discord with [`/setup`](setup.md#in-discord), which on PostgreSQL needs `SETTINGS_KEY`. A command that nothing can serve is not offered.',
  }),
  SITE_API_URL: variable({
    schema: httpUrl,
    expected: 'the http(s) address that replaces the origin of every request to the API of another listing site',
    wish: 'a proxy in front of other listing sites',
    description:
      'Replaces the origin of every request to the API of [another listing site](sites.md), for tests and proxies.',
  }),
  POST_SERVER_COUNT: variable({
    schema: z.enum(['on', 'off']),
    expected: 'on or off',
    default: 'off',
    wish: "my bot's number of servers on its listing sites",
    description:
      '`on`: the number of servers of the bot is sent to the sites of its listings that take it, every 30 minutes. Needs `siteKey`, see [server counts](sites.md#server-counts).',
  }),
});

const webhooks = group('Webhooks', {
  TOPGG_INTEGRATION_SECRET: variable({
    schema: pasted(secretForm),
    isFreeText: true,
    expected: "the secret of your integration, as top.gg's dashboard shows it",
    secret: true,
    wish: "top.gg's *Connect*",
    description:
      'Secret of your integration at top.gg, whose owners then link their listings with [*Connect*](sites.md#connect-at-topgg) there. Its address at top.gg is `/connect/topgg`. Set `PUBLIC_URL`, too.',
  }),
  VOTE_WEBHOOK_SECRET: variable({
    schema: listOf(pasted(secretForm)),
    isFreeText: true,
    expected: expectedSecrets,
    secret: true,
    wish: 'votes delivered to `/webhooks/vote`',
    description:
      'Secret of the vote webhook from the dashboard. Several, separated by commas, are valid at once, so that [one can be changed](#changing-a-secret) without a loss. `/setup` makes those of listings that it links.',
  }),
  PREMIUM_WEBHOOK_SECRET: variable({
    schema: listOf(pasted(secretForm)),
    isFreeText: true,
    expected: expectedSecrets,
    secret: true,
    wish: 'premium delivered to `/webhooks/premium`',
    description:
      'Secret of the premium webhook from the dashboard. Several, separated by commas, are valid at once, so that [one can be changed](#changing-a-secret) without a loss. `/setup` makes those of listings that it links.',
  }),
  VOTE_WEBHOOK_AUTHORIZATION: variable({
    schema: pasted(headerSecretForm),
    isFreeText: true,
    expected: 'the complete Authorization header that the service sends',
    secret: true,
    wish: 'votes of a service that does not sign',
    description: 'Accept unsigned server votes with exactly this Authorization header.',
  }),
});

const webhooksOut = group('Webhooks to other programs', {
  WEBHOOK_URL: variable({
    schema: pasted(httpUrlForm).pipe(endpointUrl),
    expected: 'the https address that receives events: https://bot.example.com/tallyhook',
    wish: 'votes sent to a program in any language',
    description:
      'An address that receives [signed events](webhooks-out.md): votes, milestones, purchases and more. Needs `WEBHOOK_SECRET`. In the file and in `/setup`, a community can have several.',
  }),
  WEBHOOK_SECRET: variable({
    schema: listOf(pasted(secretForm).pipe(endpointSecret)),
    isFreeText: true,
    expected: 'a secret of at least 16 characters, such as `whsec_` and the output of `openssl rand -base64 32`',
    secret: true,
    wish: 'to sign them',
    description:
      'Signs the requests to `WEBHOOK_URL`, as Standard Webhooks says. Several, separated by commas, sign at once.',
  }),
  WEBHOOK_EVENTS: variable({
    schema: listOf(z.enum(eventTypes)),
    expected: `one or more of ${eventTypes.join(', ')}, separated by commas`,
    wish: 'some of them only',
    description: 'Which events `WEBHOOK_URL` receives; all by default.',
  }),
  WEBHOOK_PRIVATE_TARGETS: variable({
    schema: z.enum(['on', 'off']),
    expected: 'on or off',
    default: 'off',
    wish: 'receivers in my own network',
    description:
      '`on`: events may also be sent to private addresses, over http and https, of the network of this program. Whoever may enter an address in `/setup` can then reach them: leave it off if others use your bot.',
  }),
});

const channels = group('Channels', {
  ANNOUNCE_CHANNEL_ID: variable({
    schema: channelId,
    expected: expectedId,
    wish: 'votes announced',
    description: announceChannelId.description,
  }),
  PREMIUM_CHANNEL_ID: variable({
    schema: channelId,
    expected: expectedId,
    wish: 'premium announced elsewhere',
    description: 'Id of the channel for premium; `ANNOUNCE_CHANNEL_ID` otherwise.',
  }),
});

const credits = digits(0, 1_000_000);
const expectedCredits = 'a whole number from 0 to 1000000';

const rewards = group('Credits and roles', {
  CREDITS_PER_VOTE: variable({
    schema: credits,
    expected: expectedCredits,
    default: '10',
    wish: 'other credits for a vote',
    description: vote.description,
  }),
  CREDITS_PER_PREMIUM: variable({
    schema: credits,
    expected: expectedCredits,
    default: '100',
    wish: 'other credits for premium',
    description: premium.description,
  }),
  CREDITS_WHEN_DENIED: variable({
    schema: credits,
    expected: expectedCredits,
    default: '0',
    wish: 'credits also for denied votes',
    description: whenDenied.description,
  }),
  VOTE_COOLDOWN_HOURS: variable({
    schema: decimal.pipe(z.number().positive().max(8_760)),
    expected: 'a number of hours greater than 0',
    default: '12',
    wish: 'the waiting time of my service',
    description: 'Hours between two rewarded votes of one user.',
  }),
  VOTER_ROLE_ID: variable({
    schema: roleId,
    expected: expectedId,
    wish: 'a role for everyone who votes',
    description: 'Id of a role of `DISCORD_GUILD_ID` that each vote gives.',
  }),
  VOTER_ROLE_FOR: variable({
    schema: duration,
    expected: expectedDuration,
    default: '12h',
    wish: 'that role for longer',
    description: 'How long voters have the role after each vote: `90s`, `30m`, `12h` or `7d`.',
  }),
  REMINDERS: variable({
    schema: z.enum(['on', 'off']),
    expected: 'on or off',
    default: 'on',
    wish: 'no direct messages',
    description:
      '`off`: no reminders are sent, and `/remind` and its buttons are not offered. Who has switched them on is kept.',
  }),
});

const perHour = digits(1, 1_000_000_000);
const expectedPerHour = 'a whole number from 1 to 1000000000';

/** A duration in ms; null for `forever`. */
const retention = z.union([z.literal('forever').transform(() => null), duration]);
const expectedRetention = `forever, or ${expectedDuration}`;

const storage = group('Storage and limits', {
  KEEP_BODIES: variable({
    schema: retention,
    expected: expectedRetention,
    default: 'forever',
    wish: 'a smaller database',
    description:
      'How long the bodies of deliveries are stored, except of quarantined ones: a duration such as `90d`, or `forever`. See [growth](growth.md).',
  }),
  KEEP_EFFECTS: variable({
    schema: retention,
    expected: expectedRetention,
    default: 'forever',
    wish: 'an even smaller one',
    description: 'The same for effects that are done. Waiting and buried ones are never deleted.',
  }),
  LINKED_DELIVERIES_PER_HOUR: variable({
    schema: perHour,
    expected: expectedPerHour,
    default: '20000',
    wish: 'to limit what other owners send',
    description:
      'How many deliveries each listing that was [linked in Discord](operations.md#listings-of-other-owners) may send in an hour to one process; further ones get 503 with `Retry-After`. Your own listings have no quota.',
  }),
  LINKED_MIB_PER_HOUR: variable({
    schema: perHour,
    expected: expectedPerHour,
    default: '20',
    wish: 'the same in MiB',
    description: 'The same for the bodies of these deliveries together, in MiB.',
  }),
  DATABASE_URL: variable({
    schema: pasted(databaseUrlForm(['postgres', 'postgresql'])).refine((url) => url !== 'memory:'),
    expected: 'sqlite: followed by a path (sqlite:data/tallyhook.db), or postgres://user:password@host/database',
    default: 'sqlite:data/tallyhook.db',
    secret: true,
    isAddress: true,
    wish: 'PostgreSQL, or the file elsewhere',
    description:
      '`sqlite:` and a path (with Docker below `/data/`), or `postgres://user:password@host/database`, also through PgBouncer in transaction mode. Special characters of the password are percent-encoded. `sslmode=require` verifies the certificate, as `verify-full` does; with a certificate of your own add `sslrootcert=PATH`, and `sslmode=no-verify` encrypts without verifying.',
  }),
  CACHE_URL: variable({
    schema: pasted(databaseUrlForm(['redis', 'rediss'])),
    expected: 'sqlite: followed by a path, redis://host:6379, or memory:',
    default: 'sqlite:data/cache.db',
    secret: true,
    isAddress: true,
    wish: 'several processes with one cache',
    description:
      '`sqlite:` and a path, `redis://host:6379`, or `memory:`. Several processes also notify each other of announcements through Redis.',
  }),
});

const encryptionKey = z.string().refine((key) => parseEncryptionKey(key) !== null);

/** Shorter owner tokens are accepted with a warning, since they can be guessed (characters). */
export const minOwnerTokenLength = 16;

const program = group('Process', {
  HOST: variable({
    schema: pasted(hostForm),
    expected: 'an address of this machine, or 0.0.0.0 for all addresses',
    default: '127.0.0.1',
    wish: 'to be reached from other machines',
    description: 'Address on which the program listens. The container sets `0.0.0.0`: leave it out there.',
  }),
  PORT: variable({
    schema: pasted(portForm).pipe(digits(0, 65_535)),
    expected: 'a port number from 0 (any free port) to 65535',
    default: '3000',
    wish: 'another port',
    description: 'Port on which it listens.',
  }),
  TALLYHOOK_ROLES: variable({
    schema: listOf(z.enum(roles)).refine((list) => new Set(list).size === list.length),
    expected: `one or more of ${roles.join(', ')}, separated by commas, each once`,
    default: roles.join(','),
    wish: 'more than one process',
    description:
      'What this process does, see [roles](operations.md#roles). With `receive` alone, token, `LOOKUP_BASE_URL` and API keys are not needed.',
  }),
  PUBLIC_URL: variable({
    schema: httpUrl.refine((url) => !/[?#@]/.test(url)),
    expected: 'the address under which the internet reaches this program: https://votes.example.com',
    wish: 'complete webhook addresses to copy',
    description:
      'The address under which the internet reaches this program, such as `https://votes.example.com`; shown in webhook addresses.',
  }),
});

const owners = group('Owners', {
  SETTINGS_KEY: variable({
    schema: encryptionKey,
    expected: expectedKey,
    secret: true,
    wish: '`/setup` on PostgreSQL',
    description:
      'Key of the secrets that `/setup` stores: 32 random bytes in hex or Base64 (`openssl rand -hex 32`), the same in every process. With SQLite a key file is created beside the database instead.',
  }),
  NEW_SETTINGS_KEY: variable({
    schema: encryptionKey,
    expected: expectedKey,
    secret: true,
    wish: 'to replace that key',
    description:
      'The next `SETTINGS_KEY` during a rotation, see [Rotating the key](operations.md#rotating-the-key-of-settings).',
  }),
  OWNER_TOKEN: variable({
    schema: pasted(headerSecretForm),
    isFreeText: true,
    expected: `at least ${minOwnerTokenLength} random characters, for example from \`openssl rand -hex 32\``,
    secret: true,
    wish: 'the owner console at `/owner`',
    description: `The operator's token of the [owner console and API](owner.md), at least ${minOwnerTokenLength} random characters. Without it the API is for [tokens of communities](owner.md#tokens) alone, and the console for managers who sign in with Discord.`,
  }),
});

const log = group('Log and updates', {
  UPDATE_CHECK: variable({
    schema: z.union([z.literal('off').transform(() => null), httpUrl]),
    expected: 'off, or the http(s) URL of a description of the latest release in the form of GitHub',
    default: 'https://api.github.com/repos/tallyhook/tallyhook/releases/latest',
    wish: 'no request to GitHub',
    description:
      'Where `tallyhook doctor` looks whether there is a newer version; `off`: nowhere. Nothing about the installation is sent.',
  }),
  LOG_LEVEL: variable({
    schema: z.enum(logLevels),
    expected: `one of ${logLevels.join(', ')}`,
    default: 'info',
    wish: 'more or fewer lines',
    description: `Minimum level of the log on stdout: ${logLevels.join(', ')}. Secrets are redacted.`,
  }),
  LOG_FORMAT: variable({
    schema: z.enum(['auto', 'json', 'pretty']),
    expected: 'json, pretty, or auto (pretty on a terminal, JSON elsewhere)',
    default: 'auto',
    wish: 'a log to read, or for a program',
    description: '`json` (one object per line), `pretty`, or `auto`: pretty on a terminal, JSON elsewhere.',
  }),
});

const keyValues = z.string().transform((list, issues) => {
  const parsed = parseKeyValues(list);
  if (parsed !== null) return parsed;
  issues.addIssue('it must consist of name=value');
  return z.NEVER;
});
const expectedKeyValues = 'name=value, several separated by commas, with special characters percent-encoded';

const tracing = group('Traces', {
  OTEL_EXPORTER_OTLP_ENDPOINT: variable({
    schema: httpUrl,
    expected: 'the http(s) URL of an OpenTelemetry collector for OTLP over HTTP: http://localhost:4318',
    wish: 'traces from the delivery to the announcement',
    description:
      'Address of an OpenTelemetry collector (OTLP over HTTP), such as `http://localhost:4318`, see [tracing](operations.md#tracing).',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: variable({
    schema: keyValues,
    isFreeText: true,
    expected: expectedKeyValues,
    secret: true,
    wish: 'a collector with a password',
    description: 'Headers for the collector: `name=value,name=value`.',
  }),
  OTEL_SERVICE_NAME: variable({
    schema: text,
    expected: 'the name of the program in traces',
    wish: 'another name in traces',
    description: 'The name of the program in traces; `tallyhook` otherwise.',
  }),
  OTEL_RESOURCE_ATTRIBUTES: variable({
    schema: keyValues,
    expected: expectedKeyValues,
    wish: 'attributes in traces',
    description: 'Further attributes: `name=value,name=value`.',
  }),
  OTEL_TRACES_SAMPLER: variable({
    schema: z.enum(samplers),
    expected: `one of ${samplers.join(', ')}`,
    default: 'parentbased_always_on',
    wish: 'fewer traces',
    description: 'Which traces are recorded: with `parentbased_traceidratio` a part of them.',
  }),
  OTEL_TRACES_SAMPLER_ARG: variable({
    schema: decimal.pipe(z.number().max(1)),
    expected: 'the part of the traces to sample, from 0 to 1',
    default: '1',
    wish: 'a tenth of them',
    description: 'The part of the traces, from 0 to 1, for samplers with `traceidratio`.',
  }),
});

/** Parses `name=value,name=value` with percent-encoded values, as OpenTelemetry does. Null if it is malformed. */
function parseKeyValues(list: string): Record<string, string> | null {
  const pairs = list.split(',').map((pair) => pair.trim());
  const parsed = pairs.filter((pair) => pair !== '').map(parsePair);
  return parsed.includes(null) ? null : Object.fromEntries(parsed.filter((pair) => pair !== null));
}

function parsePair(pair: string): readonly [name: string, value: string] | null {
  const separator = pair.indexOf('=');
  if (separator < 1) return null;
  try {
    return [pair.slice(0, separator).trim(), decodeURIComponent(pair.slice(separator + 1).trim())];
  } catch {
    return null;
  }
}

const files = group('More than variables', {
  TALLYHOOK_CONFIG: variable({
    schema: text,
    expected: 'the path of a JSON file (its schema: `tallyhook config --schema`)',
    wish: 'several listings, streaks, milestones, a shop',
    description:
      'Path of a JSON file with [listings](#several-listings), their rewards and a shop (its schema: `tallyhook config --schema`). It replaces the keys and secrets above.',
  }),
});

export const settingGroups = [
  discord,
  service,
  webhooks,
  webhooksOut,
  channels,
  rewards,
  storage,
  program,
  owners,
  log,
  tracing,
  files,
] as const;

/** All settings, in the order in which issues are reported. */
export const settings = {
  ...discord.settings,
  ...service.settings,
  ...webhooks.settings,
  ...webhooksOut.settings,
  ...channels.settings,
  ...rewards.settings,
  ...storage.settings,
  ...program.settings,
  ...owners.settings,
  ...log.settings,
  ...tracing.settings,
  ...files.settings,
} as const;

export type SettingName = keyof typeof settings;
/** Parsed values; undefined if the value is invalid, or if the setting is unset and has no default. */
export type Values = { readonly [Name in SettingName]: z.infer<(typeof settings)[Name]['schema']> | undefined };

export const settingNames = Object.keys(settings) as SettingName[];

/** Where the value of a setting comes from. */
export type SettingSource = 'environment' | 'file' | 'default' | 'unset';
