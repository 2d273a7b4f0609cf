import { statSync } from 'node:fs';
import { unreleasedDatabase } from '../database/database-unreleased-error.ts';
import type { DatabaseStatus } from '../database/snapshots/database-status.ts';
import type { DatabaseSnapshot } from '../database/snapshots/snapshot.ts';
import { messageOf } from '../errors.ts';
import { type Finding, fail, pass, warn } from './check.ts';

/** How hints name the database and the commands of a program. */
export interface DatabaseNames {
  /** `DATABASE_URL` */
  readonly setting: string;
  readonly backup: string;
  readonly restore: string;
  /** The program to stop before a restore. */
  readonly program: string;
}

/** Checks that this version of tallyhook can use the database. */
export function evaluateStatus(status: DatabaseStatus, { setting, backup }: DatabaseNames): Finding {
  switch (status.state) {
    case 'current':
      return pass('The database is readable and up to date.');
    case 'absent':
      return warn(
        'There is no database yet.',
        `The first start creates it. If there should already be one, check ${setting}.`,
      );
    case 'older':
      return warn(
        `The database has an older version and needs the migrations ${status.missing.join(', ')}.`,
        `The next start migrates it. Make a backup first: \`${backup}\`.`,
      );
    case 'newer':
      return fail(
        `The database was created by a newer tallyhook: it has the unknown migrations ${status.unknown.join(', ')}.`,
        'Use the newer version, or restore the backup from before the upgrade.',
      );
    case 'unreleased':
      return fail(unreleasedDatabase.problem, unreleasedDatabase.hint);
    case 'foreign':
      return fail(
        `${setting} points to a database of ${status.owner ?? 'a different program'}.`,
        `Correct ${setting}.`,
      );
    case 'unreadable':
      return fail(
        `The database cannot be read: ${status.reason}.`,
        status.hint ??
          `Check ${setting}, the database server, and the permissions of the file. If the file is damaged, restore a backup.`,
      );
  }
}

/** In larger files (bytes) indexes are not compared with their tables, which takes four times as long as the rest. */
export const largeFile = 250_000_000;

/** Checks that the file of a SQLite database is intact. */
export async function checkIntegrity(
  snapshot: Pick<DatabaseSnapshot<unknown>, 'integrityErrors'>,
  path: string,
  { restore, program }: DatabaseNames,
): Promise<Finding> {
  const errors = await snapshot
    .integrityErrors(sizeOf(path) > largeFile ? 'quick' : 'whole')
    .catch((error: unknown) => [messageOf(error)]);
  if (errors.length === 0) return pass('The database file is intact.');
  return fail(
    `The database file is damaged: ${errors.join('; ')}.`,
    `Stop ${program}, keep a copy of the file, restore the last backup (\`${restore}\`), and check the disk.`,
  );
}

/** Bytes; 0 if the file is missing. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
