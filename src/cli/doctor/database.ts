import type { DatabaseStatus } from '../../database/snapshots/database-status.ts';
import { type Finding, fail, pass, warn } from './finding.ts';

/** Whether this version of tallyhook can use the database. */
export function evaluateStatus(status: DatabaseStatus): Finding {
  switch (status.state) {
    case 'current':
      return pass('The database is readable and up to date.');
    case 'absent':
      return warn(
        'There is no database yet.',
        'The first start creates it. If there should already be one, check DATABASE_URL.',
      );
    case 'older':
      return warn(
        `The database has an older version and needs the migrations ${status.missing.join(', ')}.`,
        'The next start migrates it. Make a backup first: `tallyhook backup FILE`.',
      );
    case 'newer':
      return fail(
        `The database was created by a newer tallyhook: it has the unknown migrations ${status.unknown.join(', ')}.`,
        'Use the newer version, or restore the backup from before the upgrade.',
      );
    case 'foreign':
      return fail(
        `DATABASE_URL points to a database of ${status.owner ?? 'a different program'}.`,
        'Correct DATABASE_URL.',
      );
    case 'unreadable':
      return fail(
        `The database cannot be read: ${status.reason}.`,
        'Check DATABASE_URL, the database server, and the permissions of the file. If the file is damaged, restore a backup.',
      );
  }
}

/** @param errors messages of the integrity check of the database */
export function evaluateIntegrity(errors: readonly string[]): Finding {
  if (errors.length === 0) return pass('The database file is intact.');
  return fail(
    `The database file is damaged: ${errors.join('; ')}.`,
    'Stop tallyhook, keep a copy of the file, restore the last backup (`tallyhook restore FILE`), and check the disk.',
  );
}
