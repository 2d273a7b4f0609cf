import { closest, distance } from '../src/platform/did-you-mean.ts';
import type { Environment } from './environment.ts';
import { readListings } from './listings.ts';
import { readValues } from './read-values.ts';
import type { ConfigIssue } from './schema.ts';
import { type SecretFile, worldReadableWarnings } from './secret-files.ts';
import { settingNames } from './settings.ts';

const knownNames: readonly string[] = settingNames.flatMap((name) => [name, `${name}_FILE`]);

/**
 * Prefixes that only tallyhook uses. `DATABASE_`, `CACHE_` and `LOG_` are missing because other programs use them, too.
 */
const ownPrefix = /^(DISCORD|LOOKUP|VOTE|VOTER|PREMIUM|ANNOUNCE|CREDITS|OWNER|SETTINGS|TALLYHOOK)_/;

/** Kubernetes sets such variables for a service named tallyhook: TALLYHOOK_SERVICE_HOST, TALLYHOOK_PORT_3000_TCP, … */
const kubernetesServiceVariable = /_SERVICE_(HOST|PORT)|_PORT$|_PORT_\d+_(TCP|UDP)/;

/** Edit distance up to which a name with another prefix counts as a misspelled setting. */
const maxTypos = 2;
/** Shorter names resemble too many others (characters). */
const minMisspelledLength = 8;

/** Likely mistakes that do not make the settings invalid. It works for invalid settings as well. */
export function configWarnings(
  environment: Environment,
  secretFiles: readonly SecretFile[] = secretFilesOf(environment),
): ConfigIssue[] {
  return [...unknownVariables(environment), ...worldReadableWarnings(secretFiles)];
}

function secretFilesOf(environment: Environment): SecretFile[] {
  const { values, secretFiles } = readValues(environment);
  return [...secretFiles, ...readListings(values, []).secretFiles];
}

/** Variables that are set and look like settings of tallyhook, but are not. */
export function unknownVariables(environment: Environment): ConfigIssue[] {
  return Object.keys(environment)
    .filter((name) => environment[name] && !knownNames.includes(name) && !kubernetesServiceVariable.test(name))
    .filter((name) => ownPrefix.test(name) || isMisspelled(name, environment))
    .map((setting) => {
      const suggestion = closest(setting, knownNames);
      return {
        setting,
        problem: 'is not a setting of tallyhook.',
        hint:
          suggestion === undefined
            ? 'Remove it; docs/configuration.md lists all settings.'
            : `Did you mean ${suggestion}?`,
      };
    });
}

/**
 * Whether the variable resembles a setting that is not set. If the setting is set, the variable is probably unrelated.
 */
function isMisspelled(name: string, environment: Environment): boolean {
  return (
    name.length >= minMisspelledLength &&
    knownNames.some((setting) => !environment[setting] && distance(name.toUpperCase(), setting) <= maxTypos)
  );
}
