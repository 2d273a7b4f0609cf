import { statSync } from 'node:fs';
import { sqlitePathOf } from '../../../platform/database/database-url.ts';
import type { DatabaseStatus } from '../../../platform/database/snapshots/database-status.ts';
import { openDatabaseSnapshot } from '../../../platform/database/snapshots/open-snapshot.ts';
import { type DatabaseNames, evaluateIntegrity, evaluateStatus } from '../../../platform/doctor/database.ts';
import { checkDisk } from '../../../platform/doctor/disk.ts';
import { type Finding, fail, pass } from '../../../platform/doctor/finding.ts';
import type { DoctorCheck } from '../../../platform/doctor/run-checks.ts';
import { formatCount, pluralize } from '../../../platform/durations.ts';
import { messageOf } from '../../../platform/errors.ts';
import { type CountDifference, countDifferences } from '../../storage/audit.ts';
import { openDatabase } from '../../storage/database.ts';
import { readServiceDatabaseStatus, type ServiceSnapshot } from '../../storage/database-format.ts';
import { probeDatabase } from '../../storage/probe.ts';
import type { ServiceTables } from '../../storage/tables.ts';
import { checkWebhooks } from './webhooks.ts';

const names: DatabaseNames = {
  setting: '--database (or SERVICE_DATABASE_URL)',
  backup: 'tallyhook service backup FILE',
  restore: 'tallyhook service restore FILE',
  program: 'the service',
};

/** In larger files (bytes) indexes are not compared with their tables, which takes four times as long as the rest. */
const largeFile = 250_000_000;
/** Listings whose rows are counted: all votes of a large database would take minutes. */
const sampleSize = 200;

/** The checks of the database, which read it, and write one row to check that it is writable. */
export function databaseChecks(address: string, now: number): DoctorCheck[] {
  const path = sqlitePathOf(address);
  const diskCheck = (file: string) => ({
    name: 'disk',
    run: () => checkDisk(file, 'votes and reviews are rejected with 503'),
  });
  return [
    { name: 'database', run: () => checkDatabase(address) },
    { name: 'counts', run: () => withSnapshot(address, checkCounts) },
    { name: 'webhooks', run: () => withSnapshot(address, (snapshot) => checkWebhooks(snapshot, now)) },
    ...(path === null ? [] : [diskCheck(path)]),
  ];
}

async function checkDatabase(address: string): Promise<Finding[]> {
  const status = await readServiceDatabaseStatus(address);
  const finding = evaluateStatus(status, names);
  if (status.state !== 'current') return [finding];
  const path = sqlitePathOf(address);
  return [finding, await checkWritable(address), ...(path === null ? [] : [await checkFile(address, path)])];
}

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

async function checkFile(address: string, path: string): Promise<Finding> {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const snapshot = await openDatabaseSnapshot<ServiceTables>(address);
  try {
    return evaluateIntegrity(await snapshot.integrityErrors(size > largeFile ? 'quick' : 'whole'), names);
  } catch (error) {
    return evaluateIntegrity([messageOf(error)], names);
  } finally {
    await snapshot.close();
  }
}

async function checkCounts(snapshot: ServiceSnapshot): Promise<Finding[]> {
  const { db, run } = snapshot;
  const [row] = await run(db.selectFrom('listings').select(({ fn }) => fn.countAll<number>().as('count')));
  const sample = Math.min(sampleSize, Number(row?.count ?? 0));
  return [evaluateCounts(await countDifferences(snapshot, sampleSize), sample)];
}

/** Nothing for a database that this version cannot read as it is. */
async function withSnapshot(
  address: string,
  check: (snapshot: ServiceSnapshot) => Promise<Finding[]>,
): Promise<Finding[]> {
  const { state }: DatabaseStatus = await readServiceDatabaseStatus(address);
  if (state !== 'current') return [];
  const snapshot = await openDatabaseSnapshot<ServiceTables>(address);
  try {
    return await check(snapshot);
  } finally {
    await snapshot.close();
  }
}

const maxShown = 5;

/** The counts that lookups return must be those of the rows. @param sample how many listings were compared */
function evaluateCounts(differences: readonly CountDifference[], sample: number): Finding {
  if (differences.length === 0) {
    return pass(`The counts of ${formatCount(sample, 'listing')} equal their votes and reviews.`);
  }
  const shown = differences
    .slice(0, maxShown)
    .map(({ listingId, what, counted, rows }) => `${listingId} counts ${counted} ${what}, but has ${rows}`);
  const { length } = differences;
  return fail(
    `${formatCount(length, 'count')} ${pluralize(length, 'differs', 'differ')} from the rows: ${shown.join('; ')}.`,
    'Rows or counts were changed outside of the service. Restore a backup, or report a bug.',
  );
}
