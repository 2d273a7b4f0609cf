import { type ConfigIssue, InvalidConfigError } from '@tallyhook/platform/invalid-config-error';
import { tokenProblem } from '@tallyhook/platform/pasted-forms';
import { z } from 'zod';
import { appListings } from './app-listings.ts';
import { unsetHint } from './code-options.ts';
import { mayStoreSecrets } from './encryption.ts';
import type { Environment } from './environment.ts';
import { listedListings, type ReadListings, readListings } from './listings.ts';
import { invalidValue, readValues } from './read-values.ts';
import { needsDiscord, roles, rolesOf } from './roles.ts';
import type { Config } from './schema.ts';
import { readSetting, type Setting } from './settings/setting.ts';
import { settings, type Values } from './settings.ts';
import { missingSettings, type RequiredSetting, toConfig } from './to-config.ts';

/** A text as in the variable of a setting. */
function text<Value>(setting: Setting<Value>) {
  const message = `it must be ${setting.expected}`;
  return z
    .string(message)
    .transform((value, context) => {
      const parsed = readSetting(setting, value);
      if (parsed.success) return parsed.data;
      context.addIssue(parsed.problem ?? message);
      return z.NEVER;
    })
    .optional();
}

/** A path alone means a SQLite file. */
function address(setting: Setting<string>) {
  const withScheme = (value: unknown) =>
    typeof value === 'string' && value !== '' && !/^(sqlite:|memory:$)|:\/\//.test(value) ? `sqlite:${value}` : value;
  return z.preprocess(withScheme, text(setting));
}

const perHour = z.int().min(1).max(1_000_000_000).optional();

/** The schemas of the settings. */
export const appSettings = {
  token: text(settings.DISCORD_TOKEN),
  discord: z
    .strictObject({
      apiUrl: text(settings.DISCORD_API_URL),
      guildId: text(settings.DISCORD_GUILD_ID),
      publicKey: text(settings.DISCORD_PUBLIC_KEY),
      clientSecret: text(settings.DISCORD_CLIENT_SECRET),
    })
    .optional(),
  lookup: z.strictObject({ baseUrl: text(settings.LOOKUP_BASE_URL) }).optional(),
  siteApiUrl: text(settings.SITE_API_URL),
  topggIntegrationSecret: text(settings.TOPGG_INTEGRATION_SECRET),
  listings: appListings.optional(),
  database: address(settings.DATABASE_URL),
  cache: address(settings.CACHE_URL),
  host: text(settings.HOST),
  port: z.int().min(0).max(65_535).optional(),
  publicUrl: text(settings.PUBLIC_URL),
  ownerToken: text(settings.OWNER_TOKEN),
  roles: z
    .array(z.enum(roles))
    .min(1)
    .refine((all) => new Set(all).size === all.length, 'it must name each role once')
    .optional(),
  reminders: z.boolean().optional(),
  keep: z.strictObject({ bodies: text(settings.KEEP_BODIES), effects: text(settings.KEEP_EFFECTS) }).optional(),
  linkedQuota: z.strictObject({ deliveriesPerHour: perHour, mibPerHour: perHour }).optional(),
  settingsKey: text(settings.SETTINGS_KEY),
  newSettingsKey: text(settings.NEW_SETTINGS_KEY),
};

type ParsedSettings = z.output<z.ZodObject<typeof appSettings>>;

function valuesOf({ discord = {}, keep = {}, linkedQuota = {}, ...options }: ParsedSettings): Partial<Values> {
  const values: Partial<Values> = {
    DISCORD_TOKEN: options.token,
    DISCORD_API_URL: discord.apiUrl,
    DISCORD_GUILD_ID: discord.guildId,
    DISCORD_PUBLIC_KEY: discord.publicKey,
    DISCORD_CLIENT_SECRET: discord.clientSecret,
    LOOKUP_BASE_URL: options.lookup?.baseUrl,
    SITE_API_URL: options.siteApiUrl,
    TOPGG_INTEGRATION_SECRET: options.topggIntegrationSecret,
    DATABASE_URL: options.database,
    CACHE_URL: options.cache,
    HOST: options.host,
    PORT: options.port,
    PUBLIC_URL: options.publicUrl,
    OWNER_TOKEN: options.ownerToken,
    TALLYHOOK_ROLES: options.roles,
    REMINDERS: options.reminders === undefined ? undefined : options.reminders ? 'on' : 'off',
    KEEP_BODIES: keep.bodies,
    KEEP_EFFECTS: keep.effects,
    LINKED_DELIVERIES_PER_HOUR: linkedQuota.deliveriesPerHour,
    LINKED_MIB_PER_HOUR: linkedQuota.mibPerHour,
    SETTINGS_KEY: options.settingsKey,
    NEW_SETTINGS_KEY: options.newSettingsKey,
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** In code, no other file is created than the database, and nothing is logged but what needs attention. */
const defaultsInCode = { CACHE_URL: 'memory:', LOG_LEVEL: 'warn' } as const;

/**
 * The configuration of settings in code, which take precedence over those of an environment.
 * @param environment null if all settings are in code
 * @throws InvalidConfigError with all issues
 */
export function configOfOptions(options: ParsedSettings, environment: Environment | null): Config {
  const { values: variables, issues, secretFiles } = readValues(environment ?? {});
  const values: Values = { ...variables, ...(environment === null && defaultsInCode), ...valuesOf(options) };
  const read = readAllListings(options, values, environment, issues);
  const describe = environment === null ? (name: RequiredSetting) => requiredOptions[name] : undefined;
  issues.push(...tokenIssues(values, environment === null));
  issues.unshift(...missingSettings(values, read.listings, issues, describe));
  if (issues.length > 0) throw new InvalidConfigError(issues, environment === null ? 'createApp' : null);
  return toConfig({ environment: environment ?? {}, values, read, secretFiles });
}

/** Tokens of Discord itself have one form, unlike those of a local Discord. */
function tokenIssues({ DISCORD_TOKEN: token, DISCORD_API_URL: apiUrl = '' }: Values, isInCode: boolean): ConfigIssue[] {
  const found = token === undefined ? null : tokenProblem(token, apiUrl);
  if (found === null) return [];
  const problem = invalidValue(settings.DISCORD_TOKEN, '', found);
  if (isInCode) return [{ ...requiredOptions.DISCORD_TOKEN, problem }];
  return [{ setting: 'DISCORD_TOKEN', problem, hint: `Set it to ${settings.DISCORD_TOKEN.expected}.` }];
}

const requiredOptions = {
  DISCORD_TOKEN: {
    setting: 'token',
    path: ['token'],
    hint: `Set it to the bot token, or set roles to ['receive'] to receive votes alone. ${unsetHint}`,
  },
  LOOKUP_BASE_URL: {
    setting: 'lookup.baseUrl',
    path: ['lookup', 'baseUrl'],
    hint: `Set it to ${settings.LOOKUP_BASE_URL.expected}. ${unsetHint}`,
  },
};

function readAllListings(
  { listings }: ParsedSettings,
  values: Values,
  environment: Environment | null,
  issues: ConfigIssue[],
): ReadListings {
  if (listings !== undefined)
    return listedListings(
      listings,
      { setting: 'listings', nameOf: (index) => `listings[${index}]`, directory: '.' },
      values,
      issues,
    );
  if (environment !== null) return readListings(values, issues);
  if (needsDiscord(rolesOf(values)) && !mayStoreSecrets(values)) {
    const problem = 'is missing, and listings cannot be linked in Discord without settingsKey.';
    const hint =
      'List each server or bot with its secrets, or set settingsKey to the output of `openssl rand -hex 32`.';
    issues.push({ setting: 'listings', problem, hint, path: ['listings'] });
  }
  return { listings: [], sources: [], secretFiles: [] };
}
