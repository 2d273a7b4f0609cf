import type { Clock } from '@tallyhook/platform/clock';
import { type Migration, type OnUpgrade, runMigrations } from '@tallyhook/platform/database/migrations/migrate';
import type { Dialect } from '../dialect/dialect.ts';
import { first } from './001-first.ts';

/**
 * The first one is changed in place until 0.1.0 is released. Count its name up with each change, so that a database of
 * an earlier state is refused.
 */
const all: Readonly<Record<string, (dialect: Dialect) => Migration>> = {
  '001-bot-3': first,
};

/** The names of all migrations, oldest first. */
export const migrationNames: readonly string[] = Object.keys(all);

/** Every migration, oldest first. There are no down migrations, and a released migration is never changed. */
export function migrations(dialect: Dialect): Record<string, Migration> {
  return Object.fromEntries(Object.entries(all).map(([name, migration]) => [name, migration(dialect)]));
}

/** Applies the missing migrations to the bot's database, and returns whether it was new. See {@link runMigrations}. */
export function migrate(dialect: Dialect, clock: Clock, onUpgrade?: OnUpgrade): Promise<boolean> {
  return runMigrations(dialect, clock, migrations(dialect), onUpgrade);
}
