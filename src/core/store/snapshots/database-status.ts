import { type DatabaseStatus, statusOfDatabase } from '@tallyhook/platform/database/snapshots/database-status';
import type { DatabaseProgram } from '@tallyhook/platform/database/snapshots/program';
import { migrationNames } from '../migrations/index.ts';

export const bot: DatabaseProgram = { name: 'the bot', migrations: migrationNames };

/** Reads the status of the bot's database without creating or migrating it. Never throws. */
export function readDatabaseStatus(url: string): Promise<DatabaseStatus> {
  return statusOfDatabase(url, bot);
}
