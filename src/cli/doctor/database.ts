import type { DatabaseStatus } from '../../store/snapshots/database-status.ts';
import { type Finding, fail, pass, warn } from './finding.ts';

/** How the database stands to this program. */
export function evaluateStatus(standing: DatabaseStatus): Finding {
  switch (standing.state) {
    case 'current':
      return pass('The database can be read, and is of this version.');
    case 'absent':
      return warn(
        'There is no database yet.',
        'The first start creates it. If there should be one, check DATABASE_URL.',
      );
    case 'older':
      return warn(
        `The database lacks ${standing.missing.join(', ')}: it is of an older version.`,
        'The next start brings it up to date. Make a backup before: `tallyhook backup FILE`.',
      );
    case 'newer':
      return fail(
        `The database was written by a newer tallyhook: it has ${standing.unknown.join(', ')}.`,
        'Start the newer version again, or restore the backup that was made before the upgrade.',
      );
    case 'foreign':
      return fail('DATABASE_URL names a database that is not of tallyhook.', 'Correct DATABASE_URL.');
    case 'unreadable':
      return fail(`The database cannot be read: ${standing.reason}.`, unreadableCure);
  }
}

const unreadableCure =
  'Check DATABASE_URL, that the server runs, and that this user may read the file. If the file is damaged, restore a backup.';

/** `damage`: what the database says of its own file, a sentence each. */
export function evaluateIntegrity(damage: readonly string[]): Finding {
  if (damage.length === 0) return pass('The file of the database is whole.');
  return fail(
    `The file of the database is damaged: ${damage.join('; ')}.`,
    'Stop tallyhook, keep a copy of the file, and restore the last backup: `tallyhook restore FILE`. See to the disk.',
  );
}
