import { closest, distance } from '@tallyhook/platform/did-you-mean';
import type { ConfigIssue } from '@tallyhook/platform/invalid-config-error';
import { type SecretFile, worldReadableWarnings } from '@tallyhook/platform/secret-files';
import type { Environment } from './environment.ts';
import { readListings } from './listings.ts';
import { readValues } from './read-values.ts';
import { settingNames, type Values } from './settings.ts';

const knownNames: readonly string[] = settingNames.flatMap((name) => [name, `${name}_FILE`]);

/**
 * Prefixes of names that are compared although the similar setting is set. `DATABASE_`, `CACHE_` and `LOG_` are missing
 * because other programs use them, too.
 */
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
    ...worldReadableWarnings(secretFiles),
  ];
}

/** Generated secrets are longer (characters). */
const minCompleteLength = 16;

/** Lists of secrets that may be one secret with a comma. */
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
/** Of the ids of the first weeks of Discord. */
const minIdLength = 15;

function shortIds(values: Values): ConfigIssue[] {
  return ids.flatMap((setting) => {
    const { length } = values[setting] ?? '';
    if (length === 0 || length >= minIdLength) return [];
    const problem = `has ${length} digits, and the ids of Discord have 17 to 20.`;
    return [{ setting, problem, hint: 'Copy the id again: right-click → Copy ID.' }];
  });
}

function secretFilesOf(environment: Environment): SecretFile[] {
  const { values, secretFiles } = readValues(environment);
  return [...secretFiles, ...readListings(values, []).secretFiles];
}

/**
 * Variables that are set and look like settings of tallyhook, but are not: similar to one, or with its name in front. The
 * program that uses tallyhook as a package has variables of its own, such as VOTE_SECRET.
 */
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

/**
 * Whether the variable resembles a setting that is not set. If the setting is set, the variable is probably unrelated.
 */
function isMisspelled(name: string, environment: Environment): boolean {
  return (
    name.length >= minMisspelledLength && knownNames.some((setting) => !environment[setting] && isNear(name, setting))
  );
}

function isNear(name: string, setting: string): boolean {
  return Math.abs(setting.length - name.length) <= maxTypos && distance(name.toUpperCase(), setting) <= maxTypos;
}
