import { statSync } from 'node:fs';
import type { Config } from '../../../config/schema.ts';
import { balanceDifferences, brokenLinks, orphanedRows, paymentDifferences } from '../../core/store/snapshots/audit.ts';
import type { Snapshot } from '../../core/store/snapshots/snapshot.ts';
import { backlogOf, lastDeliveries } from '../../core/store/snapshots/statistics.ts';
import type { Store } from '../../features/store.ts';
import { sqlitePathOf } from '../../platform/database/database-url.ts';
import type { DatabaseStatus } from '../../platform/database/snapshots/database-status.ts';
import { type DatabaseNames, evaluateIntegrity, evaluateStatus } from '../../platform/doctor/database.ts';
import { checkDisk } from '../../platform/doctor/disk.ts';
import { type Finding, fail, pass } from '../../platform/doctor/finding.ts';
import type { DoctorCheck } from '../../platform/doctor/run-checks.ts';
import { messageOf } from '../../platform/errors.ts';
import { evaluateDeliveries } from './deliveries.ts';
import { evaluateBalances, evaluateLinks, evaluatePayments, evaluateStrays } from './ledger.ts';
import { evaluateBacklog } from './outbox.ts';
import { checkRewards } from './rewards.ts';
import { evaluateSettingsKey } from './settings-key.ts';

const names: DatabaseNames = {
  setting: 'DATABASE_URL',
  backup: 'tallyhook backup FILE',
  restore: 'tallyhook restore FILE',
  program: 'tallyhook',
};

/** In larger files (bytes) indexes are not compared with their tables, which takes four times as long as the rest. */
export const largeFile = 250_000_000;

/** The database, as far as it can be opened. */
export interface OpenDatabase {
  readonly status: DatabaseStatus;
  /** Null if the database has a different version: opening the store would migrate it. */
  readonly store: Store | null;
  /** Null if there is no database of tallyhook. */
  readonly snapshot: Snapshot | null;
}

/** All checks of the database. @param now ms since the epoch */
export function databaseChecks(
  { databaseUrl, listings, encryption }: Config,
  database: OpenDatabase,
  now: number,
): DoctorCheck[] {
  const { status, store, snapshot } = database;
  const path = sqlitePathOf(databaseUrl);
  const diskChecks = path === null ? [] : [{ name: 'disk', run: () => checkDisk(path) }];
  const checkDatabase = async () => [
    evaluateStatus(status, names),
    ...(status.state === 'current' ? [await checkWritable(store)] : []),
    ...(snapshot === null || path === null ? [] : await checkFile(snapshot, sizeOf(path))),
  ];
  if (snapshot === null) return [{ name: 'database', run: checkDatabase }, ...diskChecks];
  return [
    { name: 'database', run: checkDatabase },
    {
      name: 'ledger',
      run: async () => [
        evaluateBalances(await balanceDifferences(snapshot)),
        evaluatePayments(await paymentDifferences(snapshot)),
        ...evaluateStrays(await orphanedRows(snapshot)),
        // Older versions have no links.
        ...(status.state === 'current' ? evaluateLinks(await brokenLinks(snapshot)) : []),
      ],
    },
    ...(status.state === 'current' ? [{ name: 'rewards', run: () => checkRewards(snapshot, now) }] : []),
    ...(store === null
      ? []
      : [{ name: 'settings', run: async () => evaluateSettingsKey(encryption, (await store.settings.state()).keyId) }]),
    { name: 'deliveries', run: async () => evaluateDeliveries(listings, await lastDeliveries(snapshot), now) },
    { name: 'outbox', run: async () => evaluateBacklog(await backlogOf(snapshot), now) },
    ...diskChecks,
  ];
}

async function checkWritable(store: Store | null): Promise<Finding> {
  const hint =
    'Check the free disk space, the write permissions of the file and its directory, and whether another program holds a lock.';
  if (store === null) return fail('The database cannot be opened for writing.', hint);
  try {
    await store.probe();
    return pass('The database is writable.');
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? ` (${messageOf(error.cause)})` : '';
    return fail(`The database is not writable${cause}.`, hint);
  }
}

async function checkFile(snapshot: Snapshot, size: number): Promise<Finding[]> {
  try {
    return [evaluateIntegrity(await snapshot.integrityErrors(size > largeFile ? 'quick' : 'whole'), names)];
  } catch (error) {
    return [evaluateIntegrity([messageOf(error)], names)];
  }
}

/** Bytes; 0 if the file is missing. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
