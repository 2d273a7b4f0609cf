import { sqlitePathOf } from '../../../platform/database/database-url.ts';
import type { DatabaseStatus } from '../../../platform/database/snapshots/database-status.ts';
import { type DoctorCheck, type Finding, fail, pass } from '../../../platform/doctor/check.ts';
import { checkIntegrity, type DatabaseNames, evaluateStatus } from '../../../platform/doctor/database.ts';
import { checkDisk } from '../../../platform/doctor/disk.ts';
import { formatCount, pluralize } from '../../../platform/durations.ts';
import { messageOf } from '../../../platform/errors.ts';
import { type CountDifference, countDifferences } from '../../storage/audit.ts';
import { openDatabase } from '../../storage/database.ts';
import type { ServiceSnapshot } from '../../storage/database-format.ts';
import { probeDatabase } from '../../storage/probe.ts';
import { checkWebhooks } from './webhooks.ts';

const names: DatabaseNames = {
  setting: '--database (or SERVICE_DATABASE_URL)',
  backup: 'tallyhook service backup FILE',
  restore: 'tallyhook service restore FILE',
  program: 'the service',
};

/** Listings whose rows are counted: all votes of a large database would take minutes. */
const sampleSize = 200;
const maxShownDifferences = 5;

/** The database of the service. */
export interface ServiceDatabase {
  readonly address: string;
  readonly status: DatabaseStatus;
  /** Null if this version cannot read the database as it is. */
  readonly snapshot: () => Promise<ServiceSnapshot | null>;
  /** The current time (ms since the epoch). */
  readonly now: () => number;
}

/** The checks of the database, which read it, and write one row to check that it is writable. */
export const databaseChecks: readonly DoctorCheck<ServiceDatabase>[] = [
  {
    name: 'database',
    async run({ address, status, snapshot }) {
      const finding = evaluateStatus(status, names);
      const opened = await snapshot();
      if (opened === null) return [finding];
      const path = sqlitePathOf(address);
      const integrity = path === null ? [] : [await checkIntegrity(opened, path, names)];
      return [finding, await checkWritable(address), ...integrity];
    },
  },
  {
    name: 'counts',
    async run({ snapshot }) {
      const opened = await snapshot();
      return opened === null ? [] : [await checkCounts(opened)];
    },
  },
  {
    name: 'webhooks',
    async run({ snapshot, now }) {
      const opened = await snapshot();
      return opened === null ? [] : checkWebhooks(opened, now());
    },
  },
  {
    name: 'disk',
    run({ address }) {
      const path = sqlitePathOf(address);
      return path === null ? [] : checkDisk(path, 'votes and reviews are rejected with 503');
    },
  },
];

async function checkWritable(address: string): Promise<Finding> {
  try {
    const database = await openDatabase(address);
    try {
      await probeDatabase(database);
    } finally {
      await database.destroy();
    }
    return pass('The database is writable.');
  } catch (error) {
    return fail(
      `The database is not writable: ${messageOf(error)}`,
      'Check the free disk space, the permissions of the file and its directory, and whether another program holds a lock.',
    );
  }
}

async function checkCounts(snapshot: ServiceSnapshot): Promise<Finding> {
  const { db, run } = snapshot;
  const [row] = await run(db.selectFrom('listings').select(({ fn }) => fn.countAll<number>().as('count')));
  const sample = Math.min(sampleSize, Number(row?.count ?? 0));
  return evaluateCounts(await countDifferences(snapshot, sampleSize), sample);
}

/** The counts that lookups return must be those of the rows. @param sample how many listings were compared */
function evaluateCounts(differences: readonly CountDifference[], sample: number): Finding {
  if (differences.length === 0) {
    return pass(`The counts of ${formatCount(sample, 'listing')} equal their votes and reviews.`);
  }
  const shown = differences
    .slice(0, maxShownDifferences)
    .map(({ listingId, what, counted, rows }) => `${listingId} counts ${counted} ${what}, but has ${rows}`);
  const { length } = differences;
  return fail(
    `${formatCount(length, 'count')} ${pluralize(length, 'differs', 'differ')} from the rows: ${shown.join('; ')}.`,
    'Rows or counts were changed outside of the service. Restore a backup, or report a bug.',
  );
}
