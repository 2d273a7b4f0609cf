import type { Clock } from '../../platform/clock.ts';
import { second } from '../../platform/durations.ts';
import type { Log } from '../../platform/log.ts';
import type { MigrationProgress } from './migrate.ts';

const reportIntervalMs = 2 * second;

/** Passes on the first and last progress of an upgrade, and at most one every two seconds between them. */
export function throttleProgress(
  clock: Clock,
  report: (progress: MigrationProgress, elapsedMs: number) => void,
): (progress: MigrationProgress) => void {
  let startedAt: number | undefined;
  let reportedAt = 0;
  return (progress) => {
    if (!progress.isUpgrade) return;
    const now = clock.monotonic();
    if (startedAt !== undefined && !progress.isComplete && now - reportedAt < reportIntervalMs) return;
    startedAt ??= now;
    reportedAt = now;
    report(progress, now - startedAt);
  };
}

/** Logs the progress of an upgrade. */
export function logProgress(log: Log, clock: Clock): (progress: MigrationProgress) => void {
  return throttleProgress(clock, ({ isComplete, migration, rows, total }, elapsedMs) => {
    if (isComplete) log.info({ seconds: Math.round(elapsedMs / second) }, 'database upgraded');
    else log.info({ migration, ...(total === null ? {} : { rows, total }) }, 'upgrading the database');
  });
}

/** Prints the progress of an upgrade as lines for a person. */
export function printProgress(print: (line: string) => void, clock: Clock): (progress: MigrationProgress) => void {
  const count = (rows: number) => rows.toLocaleString('en-US');
  return throttleProgress(clock, ({ isComplete, migration, rows, total }, elapsedMs) => {
    if (isComplete) print(`The database is upgraded (${Math.round(elapsedMs / second)} s).`);
    else
      print(`Upgrading the database: ${migration}${total === null ? '' : `, ${count(rows)} of ${count(total)} rows`}.`);
  });
}
