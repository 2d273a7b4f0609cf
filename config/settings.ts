import { z } from 'zod';
import { apiKey } from '../src/core/settings/value-schemas.ts';
import { durationPattern, expectedDuration, isDurationInRange, parseDuration } from '../src/platform/duration-text.ts';
import { expectedKey, parseEncryptionKey } from '../src/platform/encryption/encryption-key.ts';
import { logLevels } from '../src/platform/log.ts';
import { snowflakePattern } from '../src/platform/snowflake.ts';
import { samplers } from '../src/platform/tracing/exporter-options.ts';
import { roles } from './roles.ts';

/** One setting: an environment variable, or `NAME_FILE` with the path of a file that holds its value. */
export interface Setting<Value = unknown> {
  readonly schema: z.ZodType<Value>;
  /** Description of a valid value; it completes the hint "Set it to …". */
  readonly expected: string;
  /** Text of the value if the setting is not set. */
  readonly default?: string;
  /** Never shown or logged. */
  readonly secret?: true;
  /** Only the password of the URL is secret; the rest is shown. */
  readonly isAddress?: true;
}

const id = z.string().regex(snowflakePattern);
const text = z.string().min(1);
const secrets = z
  .string()
  .transform((list) => list.split(',').map((secret) => secret.trim()))
  .pipe(z.array(text).min(1));
const wholeCredits = z.string().regex(/^\d+$/).transform(Number).pipe(z.int().max(1_000_000));
const perHour = z.string().regex(/^\d+$/).transform(Number).pipe(z.int().min(1).max(1_000_000_000));
const roleList = z
  .string()
  .transform((list) => list.split(',').map((role) => role.trim()))
  .pipe(z.array(z.enum(roles)).min(1))
  .refine((list) => new Set(list).size === list.length);
const httpUrl = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/(?<!\/)\/+$/, ''));

/** The text of an encryption key. */
const encryptionKey = z.string().refine((text) => parseEncryptionKey(text) !== null);

const expectedId = 'a Discord id, digits only: enable Developer Mode (Settings → Advanced) and use "Copy ID"';
const expectedPerHour = 'a whole number from 1 to 1000000000';
const expectedCredits = 'a whole number from 0 to 1000000';
const expectedSecrets = "the secret from the service's dashboard; separate several with commas, without empty ones";

const keyValues = z.string().transform((text, issues) => {
  const parsed = parseKeyValues(text);
  if (parsed !== null) return parsed;
  issues.addIssue('malformed');
  return z.NEVER;
});
const expectedKeyValues = 'name=value, several separated by commas, with special characters percent-encoded';

/** A duration in ms; null for `forever`. */
const retention = z.union([
  z.literal('forever').transform(() => null),
  z.string().regex(durationPattern).transform(parseDuration).refine(isDurationInRange),
]);
const expectedRetention = `forever, or ${expectedDuration}`;

/** Whether a URL with a host can be parsed and decoded. URLs without a host are not checked. */
function isDecodable(url: string): boolean {
  if (!url.includes('://')) return true;
  try {
    decodeURIComponent(new URL(url).href);
    return true;
  } catch {
    return false;
  }
}

/** Shorter owner tokens are accepted with a warning, since they can be guessed (characters). */
export const minOwnerTokenLength = 16;

function setting<Value>(setting: Setting<Value>): Setting<Value> {
  return setting;
}

/** All settings, in the order in which issues are reported. */
export const settings = {
  DISCORD_TOKEN: setting({
    schema: text,
    expected: 'the bot token from the Discord developer portal (your application → Bot → Reset Token)',
    secret: true,
  }),
  DISCORD_API_URL: setting({
    schema: httpUrl,
    expected: 'an http(s) URL',
    default: 'https://discord.com/api',
  }),
  DISCORD_GUILD_ID: setting({ schema: id, expected: expectedId }),
  DISCORD_PUBLIC_KEY: setting({
    schema: z
      .string()
      .regex(/^[0-9a-f]{64}$/i)
      .toLowerCase(),
    expected:
      "the application's public key, 64 hexadecimal digits (developer portal → your application → General Information)",
  }),
  DISCORD_CLIENT_SECRET: setting({
    schema: text,
    expected: 'the client secret from the Discord developer portal (your application → OAuth2 → Reset Secret)',
    secret: true,
  }),
  LOOKUP_BASE_URL: setting({
    schema: httpUrl.refine((url) => url.endsWith('/api/v1')),
    expected: 'the http(s) URL of the lookup API, ending in /api/v1',
  }),
  LOOKUP_SERVER_KEY: setting({
    schema: apiKey,
    expected: "the server's API key, without spaces (service's dashboard: Edit server → Advanced setup)",
    secret: true,
  }),
  LOOKUP_BOT_KEY: setting({
    schema: apiKey,
    expected: "the bot's API key from the service's dashboard, without spaces",
    secret: true,
  }),
  SITE_API_URL: setting({
    schema: httpUrl,
    expected: 'the http(s) address that replaces the origin of every request to the API of another listing site',
  }),
  VOTE_WEBHOOK_SECRET: setting({
    schema: secrets,
    expected: expectedSecrets,
    secret: true,
  }),
  PREMIUM_WEBHOOK_SECRET: setting({
    schema: secrets,
    expected: expectedSecrets,
    secret: true,
  }),
  VOTE_WEBHOOK_AUTHORIZATION: setting({
    schema: text,
    expected: 'the complete Authorization header that the service sends',
    secret: true,
  }),
  ANNOUNCE_CHANNEL_ID: setting({ schema: id, expected: expectedId }),
  PREMIUM_CHANNEL_ID: setting({
    schema: id,
    expected: expectedId,
  }),
  CREDITS_PER_VOTE: setting({
    schema: wholeCredits,
    expected: expectedCredits,
    default: '10',
  }),
  CREDITS_PER_PREMIUM: setting({
    schema: wholeCredits,
    expected: expectedCredits,
    default: '100',
  }),
  CREDITS_WHEN_DENIED: setting({
    schema: wholeCredits,
    expected: expectedCredits,
    default: '0',
  }),
  VOTE_COOLDOWN_HOURS: setting({
    schema: z
      .string()
      .regex(/^\d+(\.\d+)?$/)
      .transform(Number)
      .pipe(z.number().positive().max(8_760)),
    expected: 'a number of hours greater than 0',
    default: '12',
  }),
  VOTER_ROLE_ID: setting({ schema: id, expected: expectedId }),
  VOTER_ROLE_FOR: setting({
    schema: z.string().regex(durationPattern).transform(parseDuration).refine(isDurationInRange),
    expected: expectedDuration,
    default: '12h',
  }),
  REMINDERS: setting({ schema: z.enum(['on', 'off']), expected: 'on or off', default: 'on' }),
  KEEP_BODIES: setting({ schema: retention, expected: expectedRetention, default: 'forever' }),
  KEEP_EFFECTS: setting({ schema: retention, expected: expectedRetention, default: 'forever' }),
  LINKED_DELIVERIES_PER_HOUR: setting({ schema: perHour, expected: expectedPerHour, default: '20000' }),
  LINKED_MIB_PER_HOUR: setting({ schema: perHour, expected: expectedPerHour, default: '20' }),
  DATABASE_URL: setting({
    schema: z.string().regex(/^(sqlite:(?!\/\/).+|postgres(ql)?:\/\/.+)$/),
    expected: 'sqlite: followed by a path (sqlite:data/tallyhook.db), or postgres://user:password@host/database',
    default: 'sqlite:data/tallyhook.db',
    secret: true,
    isAddress: true,
  }),
  CACHE_URL: setting({
    schema: z
      .string()
      .regex(/^(sqlite:(?!\/\/).+|rediss?:\/\/.+|memory:)$/)
      .refine(isDecodable),
    expected: 'sqlite: followed by a path, redis://host:6379, or memory:',
    default: 'sqlite:data/cache.db',
    secret: true,
    isAddress: true,
  }),
  HOST: setting({
    schema: text,
    expected: 'an address of this machine, or 0.0.0.0 for all addresses',
    default: '127.0.0.1',
  }),
  PORT: setting({
    schema: z.string().regex(/^\d+$/).transform(Number).pipe(z.int().max(65_535)),
    expected: 'a port number from 0 (any free port) to 65535',
    default: '3000',
  }),
  TALLYHOOK_ROLES: setting({
    schema: roleList,
    expected: `one or more of ${roles.join(', ')}, separated by commas, each once`,
    default: roles.join(','),
  }),
  PUBLIC_URL: setting({
    schema: httpUrl.refine((url) => !/[?#@]/.test(url)),
    expected: 'the address under which the internet reaches this program: https://votes.example.com',
  }),
  SETTINGS_KEY: setting({ schema: encryptionKey, expected: expectedKey, secret: true }),
  NEW_SETTINGS_KEY: setting({ schema: encryptionKey, expected: expectedKey, secret: true }),
  OWNER_TOKEN: setting({
    schema: text,
    expected: `at least ${minOwnerTokenLength} random characters, for example from \`openssl rand -hex 32\``,
    secret: true,
  }),
  LOG_LEVEL: setting({
    schema: z.enum(logLevels),
    expected: `one of ${logLevels.join(', ')}`,
    default: 'info',
  }),
  LOG_FORMAT: setting({
    schema: z.enum(['auto', 'json', 'pretty']),
    expected: 'json, pretty, or auto (pretty on a terminal, JSON elsewhere)',
    default: 'auto',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting({
    schema: httpUrl,
    expected: 'the http(s) URL of an OpenTelemetry collector for OTLP over HTTP: http://localhost:4318',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: setting({ schema: keyValues, expected: expectedKeyValues, secret: true }),
  OTEL_SERVICE_NAME: setting({ schema: text, expected: 'the name of the program in traces' }),
  OTEL_RESOURCE_ATTRIBUTES: setting({ schema: keyValues, expected: expectedKeyValues }),
  OTEL_TRACES_SAMPLER: setting({
    schema: z.enum(samplers),
    expected: `one of ${samplers.join(', ')}`,
    default: 'parentbased_always_on',
  }),
  OTEL_TRACES_SAMPLER_ARG: setting({
    schema: z
      .string()
      .regex(/^\d+(\.\d+)?$/)
      .transform(Number)
      .pipe(z.number().max(1)),
    expected: 'the part of the traces to sample, from 0 to 1',
    default: '1',
  }),
  TALLYHOOK_CONFIG: setting({
    schema: text,
    expected: 'the path of a JSON file (its schema: `tallyhook config --schema`)',
  }),
} as const;

export type SettingName = keyof typeof settings;
/** Parsed values; undefined if the value is invalid, or if the setting is unset and has no default. */
export type Values = { readonly [Name in SettingName]: z.infer<(typeof settings)[Name]['schema']> | undefined };

export const settingNames = Object.keys(settings) as SettingName[];

/** Where the value of a setting comes from. */
export type SettingSource = 'environment' | 'file' | 'default' | 'unset';

/** Parses `name=value,name=value` with percent-encoded values, as OpenTelemetry does. Null if it is malformed. */
export function parseKeyValues(text: string): Record<string, string> | null {
  const pairs = text.split(',').map((pair) => pair.trim());
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
