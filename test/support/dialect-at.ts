import type { Dialect } from '../../src/core/store/dialect/dialect.ts';
import { postgres } from '../../src/core/store/dialect/postgres.ts';
import { sqlite } from '../../src/core/store/dialect/sqlite.ts';
import { sqlitePathOf } from '../../src/platform/database/database-url.ts';

/** Opens a database without migrating it. */
export function dialectAt(url: string): Dialect {
  const path = sqlitePathOf(url);
  return path === null ? postgres(url) : sqlite(path);
}
