import { formatCount } from '../durations.ts';
import { createRedactor } from '../redactor.ts';
import { exitCode, type Terminal, untilStopped } from '../terminal/terminal.ts';
import { plainName } from '../truncate.ts';
import type { CheckResult, Finding, RunOptions } from './check.ts';

const symbols: Readonly<Record<Finding['level'], string>> = { pass: '✓', warn: '!', fail: '✗' };
const checkWidth = 'configuration'.length;
/** Texts may quote responses of any length (characters). */
const maxTextLength = 600;

/** The result on a single line, without secrets and control characters, since it may quote external text. */
export function sanitizeResult(result: CheckResult, secrets: readonly string[]): CheckResult {
  const redact = createRedactor(secrets);
  const sanitize = (text: string) => plainName(redact(text), maxTextLength);
  return { ...result, message: sanitize(result.message), hint: result.hint === null ? null : sanitize(result.hint) };
}

/** One line for the result, and one for its hint. */
export function formatResult({ check, level, message, hint }: CheckResult): string {
  const line = `${symbols[level]} ${check.padEnd(checkWidth)}  ${message}`;
  return hint === null ? line : `${line}\n${' '.repeat(checkWidth + 4)}→ ${hint}`;
}

/** The last line, such as `2 failed, 1 warning.` */
export function formatSummary(results: readonly CheckResult[]): string {
  const count = (level: Finding['level']) => results.filter((result) => result.level === level).length;
  const [failed, warnings] = [count('fail'), count('warn')];
  if (failed + warnings === 0) return 'All checks passed.';
  return `${failed} failed, ${formatCount(warnings, 'warning')}.`;
}

/** `{pass, findings: [{check, level, message, hint}]}`; `pass` is false if a finding has the level `fail`. */
export function formatJson(results: readonly CheckResult[]): string {
  const findings = results.map(({ check, level, message, hint }) => ({ check, level, message, hint }));
  return JSON.stringify({ pass: !hasFailed(results), findings }, null, 2);
}

export function exitCodeOf(results: readonly CheckResult[]): number {
  return hasFailed(results) ? exitCode.runtimeError : exitCode.ok;
}

function hasFailed(results: readonly CheckResult[]): boolean {
  return results.some(({ level }) => level === 'fail');
}

/** Where the results of a `doctor` command go. */
export type ReportOptions = Pick<RunOptions, 'onResult' | 'onProgress'>;

/**
 * Prints what `run` finds: each result at once, or all as JSON. Resolves with the exit code of the command.
 * @param secrets texts that must not be printed
 */
export async function reportChecks(
  { print, printError, stop }: Terminal,
  { json, secrets }: { readonly json: boolean; readonly secrets: readonly string[] },
  run: (options: ReportOptions) => Promise<unknown>,
): Promise<number> {
  const results: CheckResult[] = [];
  const running = run({
    onProgress: printError,
    onResult(result) {
      const sanitized = sanitizeResult(result, secrets);
      results.push(sanitized);
      if (!json) print(formatResult(sanitized));
    },
  });
  await Promise.race([running, untilStopped(stop)]);
  if (stop.aborted) {
    printError('Stopped before all checks were complete.');
    return exitCode.runtimeError;
  }
  print(json ? formatJson(results) : formatSummary(results));
  return exitCodeOf(results);
}
