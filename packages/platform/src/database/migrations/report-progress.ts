import type { Clock } from '../../clock.ts';
import { second } from '../../durations.ts';
import type { Log } from '../../log.ts';
import { type Progress, startProgress } from '../../terminal/progress.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import type { MigrationProgress } from './migrate.ts';

const reportIntervalMs = 2 * second;

/** Logs the progress of an upgrade: when a step begins, every two seconds within a step, and at the end. */
export function logProgress(log: Log, clock: Clock): (progress: MigrationProgress) => void {
  let reportedAt = 0;
  return followSteps(clock, {
    onStep: () => {
      reportedAt = Number.NEGATIVE_INFINITY;
    },
    onRows({ migration, step, steps, rows, total }) {
      const now = clock.monotonic();
      if (now - reportedAt < reportIntervalMs) return;
      reportedAt = now;
      const progress = { migration, step: step + 1, steps, ...(total === null ? {} : { rows, total }) };
      log.info(progress, 'upgrading the database');
    },
    onComplete: (seconds) => log.info({ seconds }, 'database upgraded'),
  });
}

/** Shows the progress of an upgrade to a person. */
export function printProgress(terminal: Terminal, clock: Clock): (progress: MigrationProgress) => void {
  let shown: Progress | undefined;
  return followSteps(clock, {
    onStep({ migration, step, steps, total }) {
      shown?.end();
      terminal.printError(`Upgrading the database: ${migration}, step ${step + 1} of ${steps}.`);
      shown = startProgress(terminal, { unit: 'rows', ...(total !== null && { total }) }, clock);
    },
    onRows: ({ rows }) => shown?.advanceTo(rows),
    onComplete(seconds) {
      shown?.end();
      terminal.printError(`The database is upgraded (${seconds} s).`);
    },
  });
}

interface StepFollower {
  /** Before the first `onRows` of a step. */
  readonly onStep: (progress: MigrationProgress) => void;
  readonly onRows: (progress: MigrationProgress) => void;
  readonly onComplete: (seconds: number) => void;
}

/** Nothing of a new database, which needs no upgrade. */
function followSteps(clock: Clock, follower: StepFollower): (progress: MigrationProgress) => void {
  let startedAt: number | undefined;
  let current = '';
  return (progress) => {
    const { isUpgrade, isComplete, migration, step, steps } = progress;
    if (!isUpgrade) return;
    startedAt ??= clock.monotonic();
    if (isComplete) return follower.onComplete(Math.round((clock.monotonic() - startedAt) / second));
    // Nothing begins after the last step of a migration.
    if (step === steps) return;
    if (current !== `${migration} ${step}`) follower.onStep(progress);
    current = `${migration} ${step}`;
    follower.onRows(progress);
  };
}
