import type { Environment } from './environment.ts';
import { type DefaultSources, defaultNames } from './listing-defaults.ts';
import { sourceOf } from './read-values.ts';

/** Where the variables that listings take values from come from. */
export function defaultSourcesOf(environment: Environment): DefaultSources {
  const [first, ...others] = defaultNames.map((name) => ({ [name]: sourceOf(name, environment) }));
  return Object.assign({}, first, ...others);
}
