import { type Environment, readValues } from './read-values.ts';
import { InvalidConfigError } from './schema.ts';

/**
 * The address of the database alone, for whoever needs no other setting: a backup shall not fail for a missing token.
 * Throws {@link InvalidConfigError} with the faults of this setting.
 */
export function loadDatabaseUrl(environment: Environment): string {
  const { values, faults } = readValues(environment);
  const own = faults.filter(({ setting }) => setting.startsWith('DATABASE_URL'));
  if (own.length > 0 || values.DATABASE_URL === undefined) throw new InvalidConfigError(own);
  return values.DATABASE_URL;
}
