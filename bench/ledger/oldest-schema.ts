import type { Dialect } from '../../src/core/store/dialect/dialect.ts';
import { migrations } from '../../src/core/store/migrations/index.ts';
import { migrate } from '../../src/core/store/migrations/migrate.ts';
import { systemClock } from '../../src/platform/clock.ts';

/** Creates the schema of the first release, which never changes, and closes. tallyhook migrates it when it starts. */
export async function createOldestSchema(dialect: Dialect): Promise<void> {
  await migrate(dialect, systemClock, { all: Object.fromEntries(Object.entries(migrations(dialect)).slice(0, 1)) });
  await dialect.close();
}
