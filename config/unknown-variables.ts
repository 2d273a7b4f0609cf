import { closest, distance } from '../src/platform/did-you-mean.ts';
import type { Environment } from './read-values.ts';
import type { ConfigIssue } from './schema.ts';
import { settingNames } from './settings.ts';

const known: readonly string[] = settingNames.flatMap((name) => [name, `${name}_FILE`]);

/** What begins like this is meant for tallyhook. `DATABASE_`, `CACHE_` and `LOG_` are not among them: other programs use them too. */
const ours = /^(DISCORD|LOOKUP|VOTE|PREMIUM|ANNOUNCE|CREDITS|OWNER|TALLYHOOK)_/;

/** What Kubernetes sets for a service that is called tallyhook: TALLYHOOK_SERVICE_HOST, TALLYHOOK_PORT_3000_TCP and so on. */
const ofKubernetes = /_SERVICE_(HOST|PORT)|_PORT$|_PORT_\d+_(TCP|UDP)/;

/** Typing errors in a name of any beginning; shorter names resemble too many others (characters). */
const typingErrors = 2;
const shortestName = 8;

/** Variables that are set and look like settings of tallyhook, but are none. */
export function unknownVariables(environment: Environment): ConfigIssue[] {
  return Object.keys(environment)
    .filter((name) => environment[name] && !known.includes(name) && !ofKubernetes.test(name))
    .filter((name) => ours.test(name) || isMisspelled(name, environment))
    .map((setting) => {
      const meant = closest(setting, known);
      return {
        setting,
        problem: 'is not a setting of tallyhook.',
        hint: meant === undefined ? 'Remove it; README.md lists all settings.' : `Did you mean ${meant}?`,
      };
    });
}

/** A variable that resembles a setting which is not set. Of a setting that is set, nobody misses the value. */
function isMisspelled(name: string, environment: Environment): boolean {
  return (
    name.length >= shortestName &&
    known.some((setting) => !environment[setting] && distance(name.toUpperCase(), setting) <= typingErrors)
  );
}
