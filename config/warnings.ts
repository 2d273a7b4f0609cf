import { isIP } from 'node:net';
import { parseEnv } from 'node:util';
import { closest, distance } from '@tallyhook/platform/did-you-mean';
import type { ConfigIssue } from '@tallyhook/platform/invalid-config-error';
import type { Log } from '@tallyhook/platform/log';
import { type SecretFile, worldReadableWarnings } from '@tallyhook/platform/secret-files';
import { isPublic } from '@tallyhook/platform/webhooks/target';
import type { SettingsInEffect } from '../src/core/settings/setting-spec.ts';
import { doubtsAbout } from '../src/features/settings.ts';
import { type Environment, readDotEnvText, readValues } from './environment.ts';
import { readListings } from './listings.ts';
import type { Config, ListingConfig } from './schema.ts';
import { minOwnerTokenLength, settingNames, settings, type Values, type Variable } from './settings.ts';

const knownNames: readonly string[] = settingNames.flatMap((name) => [name, `${name}_FILE`]);

/** Similar names are compared although the setting is set. Other programs use `DATABASE_`, `CACHE_` and `LOG_`, too. */
const sharedPrefix = /^(DISCORD|LOOKUP|VOTE|VOTER|PREMIUM|ANNOUNCE|CREDITS|OWNER|SETTINGS)_/;

/** Kubernetes sets such variables for a service named tallyhook: TALLYHOOK_SERVICE_HOST, TALLYHOOK_PORT_3000_TCP, … */
const kubernetesServiceVariable = /_SERVICE_(HOST|PORT)|_PORT$|_PORT_\d+_(TCP|UDP)/;

/** Edit distance up to which a name counts as a misspelled setting. */
const maxTypos = 2;
/** Shorter names resemble too many others (characters). */
const minMisspelledLength = 8;

/** Likely mistakes that do not make the settings invalid. It works for invalid settings as well. */
export function configWarnings(
  environment: Environment,
  secretFiles: readonly SecretFile[] = secretFilesOf(environment),
): ConfigIssue[] {
  const { values } = readValues(environment);
  return [
    ...unknownVariables(environment),
    ...dividedSecrets(values),
    ...shortIds(values),
    ...privateTarget(values),
    ...worldReadableWarnings(secretFiles),
  ];
}

/** Generated secrets are longer (characters). */
const minCompleteLength = 16;

function dividedSecrets(values: Values): ConfigIssue[] {
  return (['VOTE_WEBHOOK_SECRET', 'PREMIUM_WEBHOOK_SECRET'] as const).flatMap((setting) => {
    const secrets = values[setting] ?? [];
    if (secrets.length < 2 || secrets.every(({ length }) => length >= minCompleteLength)) return [];
    const hint =
      'If the comma belongs to the secret, write the secret into the file of TALLYHOOK_CONFIG, or use one without commas.';
    return [{ setting, problem: `is read as ${secrets.length} secrets, which its commas separate.`, hint }];
  });
}

const ids = ['DISCORD_GUILD_ID', 'ANNOUNCE_CHANNEL_ID', 'PREMIUM_CHANNEL_ID', 'VOTER_ROLE_ID'] as const;
/** Digits of the ids of the first weeks of Discord. */
const minIdLength = 15;

function shortIds(values: Values): ConfigIssue[] {
  return ids.flatMap((setting) => {
    const { length } = values[setting] ?? '';
    if (length === 0 || length >= minIdLength) return [];
    const problem = `has ${length} digits, and the ids of Discord have 17 to 20.`;
    return [{ setting, problem, hint: 'Copy the id again: right-click → Copy ID.' }];
  });
}

/** An address to which nothing is sent, because it is in the network of this program. */
function privateTarget({ WEBHOOK_URL: url, WEBHOOK_PRIVATE_TARGETS: allowed }: Values): ConfigIssue[] {
  if (url === undefined || allowed === 'on') return [];
  const { protocol, hostname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isPublicHost = isIP(host) === 0 ? /\w\.\w/.test(host) : isPublic(host);
  if (protocol === 'https:' && isPublicHost) return [];
  const problem = 'is not an https address on the public internet: nothing is sent to it.';
  const hint = 'For a receiver in your own network, set WEBHOOK_PRIVATE_TARGETS=on.';
  return [{ setting: 'WEBHOOK_URL', problem, hint }];
}

function secretFilesOf(environment: Environment): SecretFile[] {
  const { values, secretFiles } = readValues(environment);
  return [...secretFiles, ...readListings(values, []).secretFiles];
}

/** Variables that are similar to a setting, or have its name in front. A program has its own, such as VOTE_SECRET. */
export function unknownVariables(environment: Environment): ConfigIssue[] {
  return Object.keys(environment)
    .filter((name) => environment[name] && !knownNames.includes(name) && !kubernetesServiceVariable.test(name))
    .filter((name) => sharedPrefix.test(name) || name.startsWith('TALLYHOOK_') || isMisspelled(name, environment))
    .flatMap((setting) => {
      const suggestion = closest(
        setting,
        knownNames.filter((known) => isNear(setting, known)),
      );
      if (suggestion === undefined && !setting.startsWith('TALLYHOOK_')) return [];
      const hint =
        suggestion === undefined ? 'Remove it; `tallyhook config` lists all settings.' : `Did you mean ${suggestion}?`;
      return [{ setting, problem: 'is not a setting of tallyhook.', hint }];
    });
}

/** True if it resembles a setting that is not set; otherwise it is probably unrelated. */
function isMisspelled(name: string, environment: Environment): boolean {
  return (
    name.length >= minMisspelledLength && knownNames.some((setting) => !environment[setting] && isNear(name, setting))
  );
}

function isNear(name: string, setting: string): boolean {
  return Math.abs(setting.length - name.length) <= maxTypos && distance(name.toUpperCase(), setting) <= maxTypos;
}

/** Secrets in the file `.env` that end at a `#`, which begins a comment unless the value is in quotation marks. */
export function dotEnvWarnings(path = '.env'): ConfigIssue[] {
  const text = readDotEnvText(path);
  const values = parseEnv(text);
  return text.split(/\r?\n/).flatMap((line) => {
    const [, setting = '', value = ''] = /^\s*(?:export\s+)?(\w+)\s*=[ \t]*([^'"`\s].*)$/.exec(line) ?? [];
    const end = value.search(/(?<!\s)#/);
    if (end === -1 || !isSecretSetting(setting) || values[setting] !== value.slice(0, end).trim()) return [];
    const hint = `If it belongs to the value, write it in single quotes: ${setting}='…'.`;
    return [{ setting, problem: 'ends at a # in the file .env, which begins a comment there.', hint }];
  });
}

function isSecretSetting(name: string): boolean {
  const setting: Variable | undefined = Object.entries(settings).find(([each]) => each === name)?.[1];
  return setting?.secret === true;
}

/** Warns about settings that are probably a mistake. @param listings those in effect, also linked ones */
export function logConfigWarnings(
  { warnings, ownerToken, roles }: Pick<Config, 'warnings' | 'ownerToken' | 'roles'>,
  listings: readonly Pick<
    ListingConfig,
    'lookupKey' | 'site' | 'voteSecrets' | 'premiumSecrets' | 'voteAuthorization' | 'announceChannelId'
  >[],
  log: Log,
): void {
  logListingWarnings(roles, listings, log);
  for (const { setting, problem, hint } of warnings) log.warn({ hint }, `${setting} ${problem}`);
  if (ownerToken !== null && ownerToken.length < minOwnerTokenLength) {
    log.warn(
      { hint: 'Set a long random token, for example from `openssl rand -hex 32`.' },
      `the owner token (OWNER_TOKEN) has fewer than ${minOwnerTokenLength} characters: it can be guessed`,
    );
  }
}

/** Shorter ones can be guessed from a single delivery (characters). */
const minSecretLength = 16;

/** Warns about webhook secrets that can be guessed: with one, votes can be forged. */
export function logShortSecrets(
  listings: readonly Pick<ListingConfig, 'name' | 'voteSecrets' | 'premiumSecrets'>[],
  log: Log,
): void {
  const isShort = (secret: string) => secret.length < minSecretLength;
  const names = listings
    .filter(({ voteSecrets, premiumSecrets }) => [...voteSecrets, ...premiumSecrets].some(isShort))
    .map(({ name }) => name);
  if (names.length === 0) return;
  log.warn(
    { listings: names, hint: 'Use long random secrets, for example from `openssl rand -hex 32`.' },
    `webhook secrets have fewer than ${minSecretLength} characters: they can be guessed, and votes forged`,
  );
}

/** Warns about values that are valid, but probably a mistake, such as an item that costs nothing. */
export function logDoubts(listings: readonly SettingsInEffect[], log: Log): void {
  for (const doubt of new Set(listings.flatMap(doubtsAbout))) log.warn(doubt);
}

function logListingWarnings(roles: Config['roles'], listings: Parameters<typeof logConfigWarnings>[1], log: Log): void {
  if (listings.length === 0 && roles.includes('answer')) {
    log.info(
      { hint: 'Link a listing with /setup in your Discord server; its webhooks get an address and a secret there.' },
      'no listing is linked yet',
    );
    return;
  }
  const canReceive = listings.some(
    ({ voteSecrets, premiumSecrets, voteAuthorization }) =>
      voteSecrets.length + premiumSecrets.length > 0 || voteAuthorization !== null,
  );
  if (!canReceive && roles.includes('receive'))
    log.warn(
      {
        hint: 'Set VOTE_WEBHOOK_SECRET, or voteSecrets of a listing, to the secret from the dashboard, or link a listing with /setup.',
      },
      'no webhook secret is configured: every delivery will be rejected',
    );
  else if (canReceive && listings.every(({ announceChannelId }) => announceChannelId === null)) {
    log.warn(
      { hint: 'Set announceChannelId of a listing, or ANNOUNCE_CHANNEL_ID.' },
      'no channel is configured: nothing will be announced',
    );
  }
  if (roles.includes('answer') && listings.every(({ lookupKey, site }) => lookupKey === null && !site)) {
    log.info(
      { hint: 'Set LOOKUP_SERVER_KEY, LOOKUP_BOT_KEY or lookupKey of a listing, or add the key with /setup.' },
      'no API key is configured: /canvote knows the votes that were delivered, and /claim and /reviews are not offered',
    );
  }
}
