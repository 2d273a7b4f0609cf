import { createRedactor } from '../../platform/redactor.ts';
import { exitCode } from '../../terminal/terminal.ts';
import { plainName } from '../../texts/markup.ts';
import type { Finding } from './finding.ts';
import type { CheckResult } from './run-checks.ts';

const marks: Readonly<Record<Finding['level'], string>> = { pass: '✓', warn: '!', fail: '✗' };
const width = 'configuration'.length;
/** A finding may quote others, who may be long-winded. */
const longest = 600;

/** Foreign words may be in it: on one line, without what steers a terminal, and never with a secret. */
export function tidied(told: CheckResult, secrets: readonly string[]): CheckResult {
  const redact = createRedactor(secrets);
  const tidy = (text: string) => plainName(redact(text), longest);
  return { ...told, message: tidy(told.message), hint: told.hint === null ? null : tidy(told.hint) };
}

/** A finding as people read it: one line, and the cure below it. */
export function lineOf({ check, level, message: found, hint: cure }: CheckResult): string {
  const line = `${marks[level]} ${check.padEnd(width)}  ${found}`;
  return cure === null ? line : `${line}\n${' '.repeat(width + 4)}→ ${cure}`;
}

/** The last line. */
export function overallStatusOf(findings: readonly CheckResult[]): string {
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length;
  const [faults, notes] = [count('fail'), count('warn')];
  if (faults + notes === 0) return 'All is well.';
  const counted = (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`;
  return faults === 0
    ? `No fault, ${counted(notes, 'note')}.`
    : `${counted(faults, 'fault')}, ${counted(notes, 'note')}.`;
}

/** For machines: `{well, findings: [{check, level, found, cure}]}`. */
export function jsonOf(findings: readonly CheckResult[]): string {
  const listed = findings.map(({ check, level, message: found, hint: cure }) => ({ check, level, found, cure }));
  return JSON.stringify({ pass: findings.every(({ level }) => level !== 'fail'), findings: listed }, null, 2);
}

/** The exit code: 1 for a fault. */
export function exitCodeOf(findings: readonly CheckResult[]): number {
  return findings.some(({ level }) => level === 'fail') ? exitCode.runtimeError : exitCode.ok;
}
