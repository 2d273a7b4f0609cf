import { type DatabaseStatus, statusOfDatabase } from '@tallyhook/platform/database/snapshots/database-status';
import { openDatabaseSnapshot } from '@tallyhook/platform/database/snapshots/open-snapshot';
import type { DatabaseProgram } from '@tallyhook/platform/database/snapshots/program';
import type { DatabaseSnapshot } from '@tallyhook/platform/database/snapshots/snapshot';
import { CompiledQuery } from 'kysely';
import { migrationNames } from '../migrations/index.ts';
import type { SqlAccess } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** A snapshot of the bot's database. `Own` are the tables of features that it is read for. */
export type Snapshot<Own = unknown> = DatabaseSnapshot<Tables & Own>;

/** The snapshot for statements that are also run on the connections of the store. */
export function accessTo({ db, run }: Snapshot): SqlAccess {
  return {
    db,
    connection: {
      run: ({ sql, parameters }) => run({ compile: () => CompiledQuery.raw(sql, [...parameters]) }),
    },
  };
}

export const bot: DatabaseProgram = { name: 'the bot', migrations: migrationNames };

/** Reads the status of the bot's database without creating or migrating it. Never throws. */
export function readDatabaseStatus(url: string): Promise<DatabaseStatus> {
  return statusOfDatabase(url, bot);
}

/**
 * Opens a snapshot of the bot's database. A missing file is not created. Throws what the driver throws.
 * @param url `sqlite:` followed by a path, or `postgres://…`
 */
export function openSnapshot<Own = unknown>(url: string): Promise<Snapshot<Own>> {
  return openDatabaseSnapshot<Tables & Own>(url);
}
