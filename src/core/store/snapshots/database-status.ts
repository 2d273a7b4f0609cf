import { type DatabaseStatus, statusOfDatabase } from '../../../platform/database/snapshots/database-status.ts';
import type { DatabaseProgram } from '../../../platform/database/snapshots/program.ts';
import { migrationNames } from '../migrations/index.ts';

export const bot: DatabaseProgram = { name: 'the bot', migrations: migrationNames };

/** Reads the status of the bot's database without creating or migrating it. Never throws. */
export function readDatabaseStatus(url: string): Promise<DatabaseStatus> {
  return statusOfDatabase(url, bot);
}
