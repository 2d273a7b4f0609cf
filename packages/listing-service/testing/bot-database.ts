import { runSql } from '@tallyhook/platform/testing/run-sql';

/** Makes an empty database one of the bot, as far as another program reads it: the names of its migrations. */
export function createBotDatabase(url: string): Promise<void> {
  return runSql(
    url,
    "CREATE TABLE kysely_migration (name TEXT, timestamp TEXT); INSERT INTO kysely_migration VALUES ('001-bot-2', 'now')",
  );
}
