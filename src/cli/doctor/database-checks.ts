import { statSync } from 'node:fs';
import type { Config } from '../../../config/schema.ts';
import { messageOf } from '../../platform/errors.ts';
import { sqlitePathOf } from '../../store/dialect/dialect.ts';
import { balanceDifferences, brokenLinks, orphanedRows, paymentDifferences } from '../../store/snapshots/audit.ts';
import type { DatabaseStatus } from '../../store/snapshots/database-status.ts';
import type { Snapshot } from '../../store/snapshots/snapshot.ts';
import { backlogOf, lastDeliveries } from '../../store/snapshots/statistics.ts';
import type { Store } from '../../store/store.ts';
import { evaluateIntegrity, evaluateStatus } from './database.ts';
import { evaluateDeliveries } from './deliveries.ts';
import { checkDisk } from './disk.ts';
import { type Finding, fail, pass } from './finding.ts';
import { evaluateBalances, evaluateLinks, evaluatePayments, evaluateStrays } from './ledger.ts';
import { evaluateBacklog } from './outbox.ts';
import type { DoctorCheck } from './run-checks.ts';

/** A larger file (bytes) is checked without comparing its indexes with their tables, which takes four times as long. */
export const largeFile = 250_000_000;

/** The database, as far as it could be opened. */
export interface OpenDatabase {
  readonly standing: DatabaseStatus;
  /** Null where it is not of this version: opening would migrate it. */
  readonly store: Store | null;
  /** Null where there is nothing of ours to read. */
  readonly snapshot: Snapshot | null;
}

/** All that the database can be asked; `now` in ms since the epoch. */
export function databaseChecks({ databaseUrl, listings }: Config, opened: OpenDatabase, now: number): DoctorCheck[] {
  const { standing, store, snapshot } = opened;
  const path = sqlitePathOf(databaseUrl);
  const ofDisk = path === null ? [] : [{ name: 'disk', run: () => checkDisk(path) }];
  const checkDatabase = async () => [
    evaluateStatus(standing),
    ...(standing.state === 'current' ? [await checkWriting(store)] : []),
    ...(snapshot === null || path === null ? [] : await checkFile(snapshot, sizeOf(path))),
  ];
  if (snapshot === null) return [{ name: 'database', run: checkDatabase }, ...ofDisk];
  return [
    { name: 'database', run: checkDatabase },
    {
      name: 'ledger',
      run: async () => [
        evaluateBalances(await balanceDifferences(snapshot)),
        evaluatePayments(await paymentDifferences(snapshot)),
        ...evaluateStrays(await orphanedRows(snapshot)),
        // An older version knows no links.
        ...(standing.state === 'current' ? evaluateLinks(await brokenLinks(snapshot)) : []),
      ],
    },
    { name: 'deliveries', run: async () => evaluateDeliveries(listings, await lastDeliveries(snapshot), now) },
    { name: 'outbox', run: async () => evaluateBacklog(await backlogOf(snapshot), now) },
    ...ofDisk,
  ];
}

async function checkWriting(store: Store | null): Promise<Finding> {
  const cure =
    'Check that the disk has room, that this user may write the file and its folder, and that nobody holds a lock.';
  if (store === null) return fail('The database cannot be opened for writing.', cure);
  try {
    await store.probe();
    return pass('The database can be written.');
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? ` ${messageOf(error.cause)}.` : '';
    return fail(`The database cannot be written.${cause}`, cure);
  }
}

async function checkFile(snapshot: Snapshot, size: number): Promise<Finding[]> {
  try {
    return [evaluateIntegrity(await snapshot.integrityErrors(size > largeFile ? 'quick' : 'whole'))];
  } catch (error) {
    return [evaluateIntegrity([messageOf(error)])];
  }
}

/** Bytes; 0 for a file that is not there. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
