import { formatCount } from '../durations.ts';
import { createRedactor } from '../redactor.ts';
import { exitCode } from '../terminal/terminal.ts';
import { plainName } from '../truncate.ts';
import type { Finding } from './finding.ts';
import type { CheckResult } from './run-checks.ts';

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
