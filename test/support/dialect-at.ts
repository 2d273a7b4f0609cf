import { sqlitePathOf } from '@tallyhook/platform/database/database-url';
import type { Dialect } from '../../src/core/store/dialect/dialect.ts';
import { postgres } from '../../src/core/store/dialect/postgres.ts';
import { sqlite } from '../../src/core/store/dialect/sqlite.ts';

/** Opens a database without migrating it. */
export function dialectAt(url: string): Dialect {
  const path = sqlitePathOf(url);
  return path === null ? postgres(url) : sqlite(path);
}
