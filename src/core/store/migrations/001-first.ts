import type { Migration } from '@tallyhook/platform/database/migrations/migration';
import { sql } from 'kysely';
import type { Dialect } from '../dialect/dialect.ts';
import { accounts } from './001-first/accounts.ts';
import { deliveries } from './001-first/deliveries.ts';
import { features } from './001-first/features.ts';
import { outbox } from './001-first/outbox.ts';
import { processes } from './001-first/processes.ts';
import { settings } from './001-first/settings.ts';
import { wordsOf } from './words.ts';

/**
 * All tables. What the columns mean is said in `tables.ts` and by the features; here are the reasons of the indexes.
 * There are no foreign keys, to save time at each vote; `tallyhook doctor` looks for rows that refer to missing ones.
 * Each statement may be repeated, because some engines commit before each change of the schema.
 */
export function first(dialect: Dialect): Migration {
  const words = wordsOf(dialect);
  const statements = [deliveries, accounts, outbox, features, settings, processes].flatMap((part) => part(words));
  return {
    async up(db) {
      for (const statement of statements) await sql.raw(statement).execute(db);
    },
  };
}
