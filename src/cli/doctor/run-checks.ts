import type { Clock } from '../../platform/clock.ts';
import { second } from '../../platform/durations.ts';
import { messageOf, TallyhookError } from '../../platform/errors.ts';
import { type Finding, fail } from './finding.ts';

/** One question about the installation. It may throw: that is a fault too. */
export interface DoctorCheck {
  readonly name: string;
  readonly run: () => Promise<readonly Finding[]>;
}

/** What was found, and by which check. */
export interface CheckResult extends Finding {
  readonly check: string;
}

export interface RunOptions {
  readonly clock: Clock;
  /** How long one check may take (ms). */
  readonly patience: number;
  /** Told of each finding, in the order of the checks, as soon as those before it are told. */
  readonly tell: (told: CheckResult) => void;
  /** Told what is waited for while nothing else is told. */
  readonly progress: (line: string) => void;
}

/** How long nothing is told before the reader is told why (ms). */
const quiet = 2 * second;

/** Runs the checks all at once. Each ends in time, whatever it waits for. */
export async function runChecks(checks: readonly DoctorCheck[], examination: RunOptions): Promise<void> {
  const { clock, tell, progress } = examination;
  const open = new Set(checks.map(({ name }) => name));
  const running = checks.map(async (check) => {
    const findings = await inTime(check, examination);
    open.delete(check.name);
    return findings.map((finding) => ({ ...finding, check: check.name }));
  });
  const told = new AbortController();
  void clock.sleep(quiet, told.signal).then(() => {
    if (!told.signal.aborted) progress(`Waiting for: ${[...open].join(', ')} …`);
  });
  try {
    for (const findings of running) for (const finding of await findings) tell(finding);
  } finally {
    told.abort();
  }
}

async function inTime(check: DoctorCheck, { clock, patience }: RunOptions): Promise<readonly Finding[]> {
  const enough = new AbortController();
  const late = clock
    .sleep(patience, enough.signal)
    .then(() => [
      fail(`There was no answer within ${patience / second} s.`, 'Check the network, and that the other side is up.'),
    ]);
  try {
    return await Promise.race([check.run(), late]);
  } catch (error) {
    const cure = error instanceof TallyhookError ? error.hint : undefined;
    return [fail(`It could not be checked: ${messageOf(error)}`, cure ?? 'Correct that and run the doctor again.')];
  } finally {
    enough.abort();
  }
}
