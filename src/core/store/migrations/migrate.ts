import type { Clock } from '@tallyhook/platform/clock';
import type { RunMigrationsOptions } from '@tallyhook/platform/database/migrations/migrate';
import { runMigrations } from '@tallyhook/platform/database/migrations/migrate';
import type { Migration } from '@tallyhook/platform/database/migrations/migration';
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
