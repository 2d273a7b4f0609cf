import { z } from 'zod';

/** One setting: an environment variable, or `NAME_FILE` with the path of a file that holds its value. */
export interface Setting<Value = unknown> {
  readonly schema: z.ZodType<Value>;
  /** What the value has to be, as the cure of a faulty one says it. */
  readonly form: string;
  /** The value's text when it is not set. */
  readonly default?: string;
  /** Never shown, never logged. */
  readonly secret?: true;
  readonly meaning: string;
}

const id = z.string().regex(/^\d{1,20}$/);
const text = z.string().min(1);
const secrets = z
  .string()
  .transform((list) => list.split(',').map((secret) => secret.trim()))
  .pipe(z.array(text).min(1));
const wholeCredits = z.string().regex(/^\d+$/).transform(Number).pipe(z.int().max(1_000_000));
const httpUrl = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''));

const idForm = 'a Discord id: digits only, as "Copy ID" in Discord gives it (Settings → Advanced → Developer Mode)';
const creditsForm = 'a whole number from 0 to 1000000';
const secretsForm = "the secret from the service's dashboard; several are separated by commas, none of them empty";

function setting<Value>(setting: Setting<Value>): Setting<Value> {
  return setting;
}

/** Every setting, in the order in which it is told. */
export const settings = {
  DISCORD_TOKEN: setting({
    schema: text,
    form: 'the bot token from the Discord developer portal (your application → Bot → Reset Token)',
    secret: true,
    meaning: 'bot token; unset: `npm start` runs the sandbox',
  }),
  DISCORD_API_URL: setting({
    schema: httpUrl,
    form: 'an http(s) address',
    default: 'https://discord.com/api',
    meaning: 'REST base; the gateway address is asked from it',
  }),
  DISCORD_GUILD_ID: setting({ schema: id, form: idForm, meaning: 'register commands on this guild only' }),
  LOOKUP_BASE_URL: setting({
    schema: httpUrl.refine((url) => url.endsWith('/api/v1')),
    form: 'the http(s) address of the lookup API, ending in /api/v1',
    meaning: 'address of the lookup API; ends in /api/v1',
  }),
  LOOKUP_SERVER_KEY: setting({
    schema: text,
    form: "the server's API key (service's dashboard: Edit server → Advanced setup)",
    secret: true,
    meaning: 'API key of the server; at least one of the two keys',
  }),
  LOOKUP_BOT_KEY: setting({
    schema: text,
    form: "the bot's API key from the service's dashboard",
    secret: true,
    meaning: 'API key of the bot; at least one of the two keys',
  }),
  VOTE_WEBHOOK_SECRET: setting({
    schema: secrets,
    form: secretsForm,
    secret: true,
    meaning: 'secrets of vote webhooks, comma-separated: several are valid at once, for rotation',
  }),
  PREMIUM_WEBHOOK_SECRET: setting({
    schema: secrets,
    form: secretsForm,
    secret: true,
    meaning: 'secrets of premium webhooks, likewise',
  }),
  VOTE_WEBHOOK_AUTHORIZATION: setting({
    schema: text,
    form: 'the whole value of the Authorization header that the service sends',
    secret: true,
    meaning: 'opt-in: accept unsigned server votes that carry this Authorization value',
  }),
  ANNOUNCE_CHANNEL_ID: setting({ schema: id, form: idForm, meaning: 'channel of the announcements' }),
  PREMIUM_CHANNEL_ID: setting({
    schema: id,
    form: idForm,
    meaning: 'channel of premium announcements; unset: the same channel',
  }),
  CREDITS_PER_VOTE: setting({
    schema: wholeCredits,
    form: creditsForm,
    default: '10',
    meaning: 'credits for a vote, where the payload carries no number of its own',
  }),
  CREDITS_PER_PREMIUM: setting({
    schema: wholeCredits,
    form: creditsForm,
    default: '100',
    meaning: 'credits for a purchase or renewal, likewise',
  }),
  CREDITS_WHEN_DENIED: setting({
    schema: wholeCredits,
    form: creditsForm,
    default: '0',
    meaning: 'credits for a vote that the service pays nothing for',
  }),
  VOTE_COOLDOWN_HOURS: setting({
    schema: z
      .string()
      .regex(/^\d+(\.\d+)?$/)
      .transform(Number)
      .pipe(z.number().positive().max(8_760)),
    form: 'a number of hours above 0',
    default: '12',
    meaning: 'hours between two votes of one user',
  }),
  DATABASE_URL: setting({
    schema: z.string().regex(/^(sqlite:(?!\/\/).+|postgres(ql)?:\/\/.+)$/),
    form: 'sqlite: followed by a path (sqlite:data/tallyhook.db), or postgres://user:password@host/database',
    default: 'sqlite:data/tallyhook.db',
    secret: true,
    meaning: 'where votes and credits are kept; or `postgres://…`',
  }),
  CACHE_URL: setting({
    schema: z.string().regex(/^(sqlite:(?!\/\/).+|rediss?:\/\/.+|memory:)$/),
    form: 'sqlite: followed by a path, redis://host:6379, or memory:',
    default: 'sqlite:data/cache.db',
    secret: true,
    meaning: 'where answers of the service are kept; or `redis://…`, `memory:`',
  }),
  HOST: setting({
    schema: text,
    form: 'an address of this machine, or 0.0.0.0 for all of them',
    default: '127.0.0.1',
    meaning: 'address to listen on',
  }),
  PORT: setting({
    schema: z.string().regex(/^\d+$/).transform(Number).pipe(z.int().max(65_535)),
    form: 'a port from 0 (any that is free) to 65535',
    default: '3000',
    meaning: 'port to listen on',
  }),
  OWNER_TOKEN: setting({
    schema: text,
    form: 'any long random text, for example from `openssl rand -hex 32`',
    secret: true,
    meaning: 'bearer token of the owner API; unset: the API is off',
  }),
  LOG_LEVEL: setting({
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    form: 'one of fatal, error, warn, info, debug, trace, silent',
    default: 'info',
    meaning: 'how much is logged; JSON lines on stdout, secrets redacted',
  }),
  TALLYHOOK_CONFIG: setting({
    schema: text,
    form: 'the path of a JSON file (its schema: `tallyhook config --schema`)',
    meaning: 'JSON file with several listings, in place of the keys and secrets above',
  }),
} as const;

export type SettingName = keyof typeof settings;
export type Values = { readonly [Name in SettingName]: z.infer<(typeof settings)[Name]['schema']> | undefined };

export const settingNames = Object.keys(settings) as SettingName[];
