import type { Clock } from '../../clock.ts';
import { second } from '../../durations.ts';
import type { Log } from '../../log.ts';
import type { MigrationProgress } from './migrate.ts';

const reportIntervalMs = 2 * second;

/** Passes on the progress of an upgrade when a step begins, every two seconds within a step, and at the end. */
export function throttleProgress(
  clock: Clock,
  report: (progress: MigrationProgress, elapsedMs: number) => void,
): (progress: MigrationProgress) => void {
  let startedAt: number | undefined;
  let reportedAt = 0;
  let reportedStep = '';
  return (progress) => {
    if (!progress.isUpgrade) return;
    const now = clock.monotonic();
    const step = `${progress.migration} ${progress.step}`;
    if (step === reportedStep && !progress.isComplete && now - reportedAt < reportIntervalMs) return;
    // Nothing begins after the last step of a migration.
    if (progress.step === progress.steps && !progress.isComplete) return;
    reportedStep = step;
    startedAt ??= now;
    reportedAt = now;
    report(progress, now - startedAt);
  };
}

/** Logs the progress of an upgrade. */
export function logProgress(log: Log, clock: Clock): (progress: MigrationProgress) => void {
  return throttleProgress(clock, ({ isComplete, migration, step, steps, rows, total }, elapsedMs) => {
    if (isComplete) log.info({ seconds: Math.round(elapsedMs / second) }, 'database upgraded');
    else {
      const progress = { migration, step: step + 1, steps, ...(total === null ? {} : { rows, total }) };
      log.info(progress, 'upgrading the database');
    }
  });
}

/** Prints the progress of an upgrade as lines for a person. */
export function printProgress(print: (line: string) => void, clock: Clock): (progress: MigrationProgress) => void {
  const count = (rows: number) => rows.toLocaleString('en-US');
  return throttleProgress(clock, ({ isComplete, migration, step, steps, rows, total }, elapsedMs) => {
    if (isComplete) return print(`The database is upgraded (${Math.round(elapsedMs / second)} s).`);
    const rowsDone = total === null ? '' : `, ${count(rows)} of ${count(total)} rows`;
    print(`Upgrading the database: ${migration}, step ${step + 1} of ${steps}${rowsDone}.`);
  });
}
