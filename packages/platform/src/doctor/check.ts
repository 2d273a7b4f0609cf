import { type Clock, startTimer } from '../clock.ts';
import { minute, second } from '../durations.ts';
import { messageOf, TallyhookError } from '../errors.ts';
import { TimeoutError, withTimeout } from '../with-timeout.ts';

/** Result of a check. `pass`: it works. `warn`: it works, but needs attention. `fail`: something does not work. */
export interface Finding {
  readonly level: 'pass' | 'warn' | 'fail';
  readonly message: string;
  /** How to fix it; null if nothing needs to be done. */
  readonly hint: string | null;
}

export const pass = (message: string): Finding => ({ level: 'pass', message, hint: null });
export const warn = (message: string, hint: string | null = null): Finding => ({ level: 'warn', message, hint });
export const fail = (message: string, hint: string): Finding => ({ level: 'fail', message, hint });

/**
 * One check of an installation. It finds nothing where it does not apply. An error that it throws becomes a `fail`
 * finding.
 */
export interface DoctorCheck<Context> {
  readonly name: string;
  readonly run: (context: Context) => readonly Finding[] | Promise<readonly Finding[]>;
}

/** A finding with the name of its check. */
export interface CheckResult extends Finding {
  readonly check: string;
}

/** Checks that run in the same way. */
export interface CheckGroup<Context> {
  readonly checks: readonly DoctorCheck<Context>[];
  /** `network`: all at once. `database`: one after the other, because SQLite blocks this process. */
  readonly kind: 'network' | 'database';
}

export interface RunOptions {
  readonly clock: Clock;
  /** Receives the results in the order of the checks, each as soon as the earlier ones are complete. */
  readonly onResult: (result: CheckResult) => void;
  /** Receives progress messages during long checks. */
  readonly onProgress: (line: string) => void;
  /** Timeout of each check (ms; default: 12 s for the network, and 15 min for a database, which may be large). */
  readonly timeoutMs?: number;
}

const timeoutsMs = { network: 12 * second, database: 15 * minute };
/** Time without a result after which a progress message lists the pending checks (ms). */
const progressDelayMs = 2 * second;

/** Runs the checks of a group. */
export async function runChecks<Context>(
  { checks, kind }: CheckGroup<Context>,
  context: Context,
  { timeoutMs = timeoutsMs[kind], ...options }: RunOptions,
): Promise<void> {
  const parts = kind === 'network' ? [checks] : checks.map((check) => [check]);
  for (const part of parts) await runAtOnce(part, context, { ...options, timeoutMs });
}

async function runAtOnce<Context>(
  checks: readonly DoctorCheck<Context>[],
  context: Context,
  options: Required<RunOptions>,
): Promise<void> {
  const { clock, onResult, onProgress } = options;
  const pending = new Set(checks.map(({ name }) => name));
  const running = checks.map(async (check) => {
    const findings = await runCheck(check, context, options);
    pending.delete(check.name);
    return findings.map((finding) => ({ ...finding, check: check.name }));
  });
  const stopTimer = startTimer(clock, progressDelayMs, () => onProgress(`Waiting for: ${[...pending].join(', ')} …`));
  try {
    for (const results of running) for (const result of await results) onResult(result);
  } finally {
    stopTimer();
  }
}

async function runCheck<Context>(
  check: DoctorCheck<Context>,
  context: Context,
  { clock, timeoutMs }: Required<RunOptions>,
): Promise<readonly Finding[]> {
  try {
    return await withTimeout(timeoutMs, clock, Promise.resolve(check.run(context)));
  } catch (error) {
    if (error instanceof TimeoutError) {
      return [fail(`Timeout after ${timeoutMs / second} s.`, 'Check the network, and that the server is running.')];
    }
    const hint = error instanceof TallyhookError ? error.hint : undefined;
    return [fail(`The check failed: ${messageOf(error)}`, hint ?? 'Fix this and run doctor again.')];
  }
}
