import { z } from 'zod';

/** One setting: an environment variable, or `NAME_FILE` with the path of a file that holds its value. */
export interface Setting<Value = unknown> {
  readonly schema: z.ZodType<Value>;
  /** What the value has to be, as the cure of a faulty one says it. */
  readonly expected: string;
  /** The value's text when it is not set. */
  readonly default?: string;
  /** Never shown, never logged. */
  readonly secret?: true;
  /** The secret is only the password in it: the rest of the address is shown. */
  readonly isAddress?: true;
}

const id = z.string().regex(/^\d{1,20}$/);
const text = z.string().min(1);
/** What a header can carry. */
export const apiKey = z.string().regex(/^[\x21-\x7e]+$/);
const secrets = z
  .string()
  .transform((list) => list.split(',').map((secret) => secret.trim()))
  .pipe(z.array(text).min(1));
const wholeCredits = z.string().regex(/^\d+$/).transform(Number).pipe(z.int().max(1_000_000));
const httpUrl = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/(?<!\/)\/+$/, ''));

const idForm = 'a Discord id: digits only, as "Copy ID" in Discord gives it (Settings → Advanced → Developer Mode)';
const creditsForm = 'a whole number from 0 to 1000000';
const secretsForm = "the secret from the service's dashboard; several are separated by commas, none of them empty";

/** An address with a host, whose parts can be decoded; what is no address with a host is not looked at. */
function isReadable(url: string): boolean {
  if (!url.includes('://')) return true;
  try {
    decodeURIComponent(new URL(url).href);
    return true;
  } catch {
    return false;
  }
}

/** A shorter owner token is taken, but it can be guessed (characters). */
export const minOwnerTokenLength = 16;

function setting<Value>(setting: Setting<Value>): Setting<Value> {
  return setting;
}

/** Every setting, in the order in which it is told. */
export const settings = {
  DISCORD_TOKEN: setting({
    schema: text,
    expected: 'the bot token from the Discord developer portal (your application → Bot → Reset Token)',
    secret: true,
  }),
  DISCORD_API_URL: setting({
    schema: httpUrl,
    expected: 'an http(s) address',
    default: 'https://discord.com/api',
  }),
  DISCORD_GUILD_ID: setting({ schema: id, expected: idForm }),
  LOOKUP_BASE_URL: setting({
    schema: httpUrl.refine((url) => url.endsWith('/api/v1')),
    expected: 'the http(s) address of the lookup API, ending in /api/v1',
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
  VOTE_WEBHOOK_SECRET: setting({
    schema: secrets,
    expected: secretsForm,
    secret: true,
  }),
  PREMIUM_WEBHOOK_SECRET: setting({
    schema: secrets,
    expected: secretsForm,
    secret: true,
  }),
  VOTE_WEBHOOK_AUTHORIZATION: setting({
    schema: text,
    expected: 'the whole value of the Authorization header that the service sends',
    secret: true,
  }),
  ANNOUNCE_CHANNEL_ID: setting({ schema: id, expected: idForm }),
  PREMIUM_CHANNEL_ID: setting({
    schema: id,
    expected: idForm,
  }),
  CREDITS_PER_VOTE: setting({
    schema: wholeCredits,
    expected: creditsForm,
    default: '10',
  }),
  CREDITS_PER_PREMIUM: setting({
    schema: wholeCredits,
    expected: creditsForm,
    default: '100',
  }),
  CREDITS_WHEN_DENIED: setting({
    schema: wholeCredits,
    expected: creditsForm,
    default: '0',
  }),
  VOTE_COOLDOWN_HOURS: setting({
    schema: z
      .string()
      .regex(/^\d+(\.\d+)?$/)
      .transform(Number)
      .pipe(z.number().positive().max(8_760)),
    expected: 'a number of hours above 0',
    default: '12',
  }),
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
      .refine(isReadable),
    expected: 'sqlite: followed by a path, redis://host:6379, or memory:',
    default: 'sqlite:data/cache.db',
    secret: true,
    isAddress: true,
  }),
  HOST: setting({
    schema: text,
    expected: 'an address of this machine, or 0.0.0.0 for all of them',
    default: '127.0.0.1',
  }),
  PORT: setting({
    schema: z.string().regex(/^\d+$/).transform(Number).pipe(z.int().max(65_535)),
    expected: 'a port from 0 (any that is free) to 65535',
    default: '3000',
  }),
  OWNER_TOKEN: setting({
    schema: text,
    expected: `at least ${minOwnerTokenLength} random characters, for example from \`openssl rand -hex 32\``,
    secret: true,
  }),
  LOG_LEVEL: setting({
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    expected: 'one of fatal, error, warn, info, debug, trace, silent',
    default: 'info',
  }),
  LOG_FORMAT: setting({
    schema: z.enum(['auto', 'json', 'pretty']),
    expected: 'json, pretty, or auto: pretty on a terminal, JSON elsewhere',
    default: 'auto',
  }),
  TALLYHOOK_CONFIG: setting({
    schema: text,
    expected: 'the path of a JSON file (its schema: `tallyhook config --schema`)',
  }),
} as const;

export type SettingName = keyof typeof settings;
/** Each as its schema reads it; undefined where it is faulty, or neither set nor given a default. */
export type Values = { readonly [Name in SettingName]: z.infer<(typeof settings)[Name]['schema']> | undefined };

export const settingNames = Object.keys(settings) as SettingName[];
