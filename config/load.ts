import { readFileSync } from 'node:fs';
import querystring from 'node:querystring';
import type { ZodError } from 'zod';
import { type FileListing, listingsFile } from './listings-file.ts';
import { type Environment, readValues } from './read-values.ts';
import { type Config, type ConfigIssue, InvalidConfigError, type ListingConfig } from './schema.ts';
import { settings, type Values } from './settings.ts';
import { warningsOf } from './warnings.ts';

const hourInMs = 3_600_000;

/** Whether anything says that this is meant for a real Discord. Without it the sandbox is what runs. */
export function isConfigured(environment: Environment): boolean {
  return Boolean(environment['DISCORD_TOKEN'] || environment['DISCORD_TOKEN_FILE']) || isProduction(environment);
}

/** The environment becomes a frozen configuration. Throws {@link InvalidConfigError} with every fault and its hint. */
export function loadConfig(environment: Environment): Config {
  const { values, faults, secretFiles } = readValues(environment);
  requireAlways(values, faults);
  const listings = values.TALLYHOOK_CONFIG === undefined ? fromVariables(values, faults) : fromFile(values, faults);
  if (faults.length > 0) throw new InvalidConfigError(faults);

  const config: Config = {
    discord: {
      token: values.DISCORD_TOKEN ?? '',
      apiUrl: values.DISCORD_API_URL ?? '',
      guildId: values.DISCORD_GUILD_ID ?? null,
    },
    lookup: { baseUrl: values.LOOKUP_BASE_URL ?? '' },
    listings,
    databaseUrl: values.DATABASE_URL ?? '',
    cacheUrl: values.CACHE_URL ?? '',
    http: { host: values.HOST ?? '', port: values.PORT ?? 0 },
    ownerToken: values.OWNER_TOKEN ?? null,
    logLevel: values.LOG_LEVEL ?? 'info',
    logFormat: values.LOG_FORMAT ?? 'auto',
    warnings: warningsOf(environment, secretFiles),
    secrets: secretsIn(values, listings),
  };
  return deepFreeze(config);
}

function isProduction(environment: Environment): boolean {
  return environment['NODE_ENV'] === 'production';
}

/** A fault of form is told already; this tells of what is missing altogether. */
function requireAlways(values: Values, faults: ConfigIssue[]): void {
  for (const name of ['DISCORD_TOKEN', 'LOOKUP_BASE_URL'] as const) {
    const told = faults.some(({ setting }) => setting.startsWith(name));
    if (values[name] === undefined && !told) {
      faults.push({ setting: name, problem: 'is missing.', hint: `Set it to ${settings[name].expected}.` });
    }
  }
}

/** The variables describe one server and one bot. Webhooks of both kinds are received, whichever of them has a key. */
function fromVariables(values: Values, faults: ConfigIssue[]): ListingConfig[] {
  const keyFault = faults.some(({ setting }) => setting.startsWith('LOOKUP_') && setting.includes('_KEY'));
  if (values.LOOKUP_SERVER_KEY === undefined && values.LOOKUP_BOT_KEY === undefined && !keyFault) {
    faults.push({
      setting: 'LOOKUP_SERVER_KEY / LOOKUP_BOT_KEY',
      problem: 'are both missing.',
      hint: "Set at least one of them to an API key from the service's dashboard (Edit server → Advanced setup).",
    });
  }
  const same = {
    id: null,
    voteSecrets: values.VOTE_WEBHOOK_SECRET ?? [],
    premiumSecrets: values.PREMIUM_WEBHOOK_SECRET ?? [],
    voteAuthorization: values.VOTE_WEBHOOK_AUTHORIZATION ?? null,
    ...channelsOf(values, {}),
    rules: termsOf(values, {}),
  };
  const keyed = (key: string | undefined) => ({ lookupKey: key ?? null, implied: key === undefined });
  return [
    { ...same, name: 'server', kind: 'server', ...keyed(values.LOOKUP_SERVER_KEY) },
    { ...same, name: 'bot', kind: 'bot', ...keyed(values.LOOKUP_BOT_KEY) },
  ];
}

const toldByTheFile = [
  'LOOKUP_SERVER_KEY',
  'LOOKUP_BOT_KEY',
  'VOTE_WEBHOOK_SECRET',
  'PREMIUM_WEBHOOK_SECRET',
  'VOTE_WEBHOOK_AUTHORIZATION',
] as const;

function fromFile(values: Values, faults: ConfigIssue[]): ListingConfig[] {
  for (const setting of toldByTheFile) {
    if (values[setting] === undefined) continue;
    const hint = 'Move it into the file, to the listing that it belongs to, and remove the variable.';
    faults.push({ setting, problem: 'is set although TALLYHOOK_CONFIG names the listings.', hint: hint });
  }
  const listings = readListings(values.TALLYHOOK_CONFIG ?? '', faults);
  if (listings.length > 0 && listings.every(({ lookupKey }) => lookupKey === undefined)) {
    faults.push({
      setting: 'TALLYHOOK_CONFIG',
      problem: 'has no listing with a lookupKey.',
      hint: 'Give at least one listing its API key.',
    });
  }
  return listings.map((listing) => ({
    name: listing.name,
    kind: listing.kind,
    id: listing.id ?? null,
    implied: false,
    lookupKey: listing.lookupKey ?? null,
    voteSecrets: listing.voteSecrets,
    premiumSecrets: listing.premiumSecrets,
    voteAuthorization: listing.voteAuthorization ?? null,
    ...channelsOf(values, listing),
    rules: termsOf(values, listing),
  }));
}

function readListings(path: string, faults: ConfigIssue[]): FileListing[] {
  const setting = 'TALLYHOOK_CONFIG';
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    // The words of a JSON error quote the file, and the file holds secrets.
    const why = error instanceof SyntaxError ? 'it is not JSON' : 'it cannot be read';
    faults.push({
      setting,
      problem: `names ${path}, but ${why}.`,
      hint: 'Correct the path or the file; its schema: `tallyhook config --schema`.',
    });
    return [];
  }
  const checked = listingsFile.safeParse(json);
  if (checked.success) return checked.data.listings;
  faults.push(...faultsIn(checked.error));
  return [];
}

function faultsIn(error: ZodError): ConfigIssue[] {
  return error.issues.map(({ path, message }) => ({
    setting: `TALLYHOOK_CONFIG ${path.join('.')}`.trim(),
    problem: `is not right: ${message}.`,
    hint: 'Correct it in the file; its schema: `tallyhook config --schema`.',
  }));
}

function channelsOf(values: Values, listing: Partial<FileListing>) {
  const announceChannelId = listing.announceChannelId ?? values.ANNOUNCE_CHANNEL_ID ?? null;
  const premiumChannelId = listing.premiumChannelId ?? values.PREMIUM_CHANNEL_ID ?? announceChannelId;
  return { announceChannelId, premiumChannelId };
}

function termsOf(values: Values, listing: Partial<FileListing>): ListingConfig['rules'] {
  return {
    perVote: listing.creditsPerVote ?? values.CREDITS_PER_VOTE ?? 0,
    perPremium: listing.creditsPerPremium ?? values.CREDITS_PER_PREMIUM ?? 0,
    whenDenied: listing.creditsWhenDenied ?? values.CREDITS_WHEN_DENIED ?? 0,
    cooldownMs: Math.round((listing.cooldownHours ?? values.VOTE_COOLDOWN_HOURS ?? 0) * hourInMs),
  };
}

function secretsIn(values: Values, listings: readonly ListingConfig[]): string[] {
  const ofListings = listings.flatMap((listing) => [
    listing.lookupKey,
    listing.voteAuthorization,
    ...listing.voteSecrets,
    ...listing.premiumSecrets,
  ]);
  const ofUrls = [values.DATABASE_URL, values.CACHE_URL].flatMap((url) => passwordsIn(url ?? ''));
  const all = [values.DISCORD_TOKEN, values.OWNER_TOKEN, ...ofListings, ...ofUrls];
  return [...new Set(all.filter((secret): secret is string => Boolean(secret)))];
}

/** The password of an address as it is written there and as it is meant. PostgreSQL's may stand in the query as well. */
function passwordsIn(url: string): string[] {
  const [, written = ''] = /^\w+:\/\/[^:@/]*:([^@]*)@/.exec(url) ?? [];
  const asked = URL.canParse(url) ? new URL(url).searchParams.get('password') : null;
  return [written, querystring.unescape(written), asked ?? ''];
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
