import type { Clock } from '../clock.ts';
import { second } from '../durations.ts';
import { messageOf, TallyhookError } from '../errors.ts';
import { TimeoutError, withTimeout } from '../with-timeout.ts';
import { type Finding, fail } from './finding.ts';

/** One check of the installation. An error that it throws becomes a `fail` finding. */
export interface DoctorCheck {
  readonly name: string;
  readonly run: () => Promise<readonly Finding[]>;
}

/** A finding with the name of its check. */
export interface CheckResult extends Finding {
  readonly check: string;
}

export interface RunOptions {
  readonly clock: Clock;
  /** Timeout of each check (ms). */
  readonly timeoutMs: number;
  /** Receives the results in the order of the checks, each as soon as the earlier ones are complete. */
  readonly onResult: (result: CheckResult) => void;
  /** Receives progress messages during long checks. */
  readonly onProgress: (line: string) => void;
}

/** Time without a result after which a progress message lists the pending checks (ms). */
const progressDelayMs = 2 * second;

/** Runs the checks concurrently. */
export async function runChecks(checks: readonly DoctorCheck[], options: RunOptions): Promise<void> {
  const { clock, onResult, onProgress } = options;
  const pending = new Set(checks.map(({ name }) => name));
  const running = checks.map(async (check) => {
    const findings = await runCheck(check, options);
    pending.delete(check.name);
    return findings.map((finding) => ({ ...finding, check: check.name }));
  });
  const timerController = new AbortController();
  void clock.sleep(progressDelayMs, timerController.signal).then(() => {
    if (!timerController.signal.aborted) onProgress(`Waiting for: ${[...pending].join(', ')} …`);
  });
  try {
    for (const results of running) for (const result of await results) onResult(result);
  } finally {
    timerController.abort();
  }
}

async function runCheck(check: DoctorCheck, { clock, timeoutMs }: RunOptions): Promise<readonly Finding[]> {
  try {
    return await withTimeout(timeoutMs, clock, check.run());
  } catch (error) {
    if (error instanceof TimeoutError) {
      return [fail(`Timeout after ${timeoutMs / second} s.`, 'Check the network, and that the server is running.')];
    }
    const hint = error instanceof TallyhookError ? error.hint : undefined;
    return [fail(`The check failed: ${messageOf(error)}`, hint ?? 'Fix this and run doctor again.')];
  }
}
