import { type Environment, sourceOf } from './read-values.ts';
import { settingNames, settings } from './settings.ts';

/** The files that hold secrets: those that `NAME_FILE` variables of secrets name, and the file of the listings. */
export function secretFiles(environment: Environment): string[] {
  const named = settingNames
    .filter((name) => 'secret' in settings[name] && sourceOf(name, environment) === 'file')
    .map((name) => environment[`${name}_FILE`] ?? '');
  return [...named, environment['TALLYHOOK_CONFIG'] ?? ''].filter((path) => path !== '');
}
