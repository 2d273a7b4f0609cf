import { type Environment, readValues } from './read-values.ts';
import type { Config } from './schema.ts';

/** `LOG_FORMAT` alone, for a log that is needed before there is a configuration. A faulty one counts as `auto`. */
export function loadLogFormat(environment: Environment): Config['logFormat'] {
  return readValues(environment).values.LOG_FORMAT ?? 'auto';
}
