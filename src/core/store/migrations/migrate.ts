import type { Clock } from '../../../platform/clock.ts';
import type { RunMigrationsOptions } from '../../../platform/database/migrations/migrate.ts';
import { runMigrations } from '../../../platform/database/migrations/migrate.ts';
import type { Migration } from '../../../platform/database/migrations/migration.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { migrations } from './index.ts';

/** Applies the missing migrations to the bot's database. See {@link runMigrations}. */
export function migrate(
  dialect: Dialect,
  clock: Clock,
  { all = migrations(dialect), ...options }: RunMigrationsOptions & { readonly all?: Record<string, Migration> } = {},
): Promise<void> {
  return runMigrations(dialect, clock, all, options);
}
