import { plainName } from '../markup.ts';
import { redactor } from '../redactor.ts';
import { exit } from '../terminal/terminal.ts';
import type { Told } from './examine.ts';
import type { Finding } from './finding.ts';

const marks: Readonly<Record<Finding['level'], string>> = { well: '✓', note: '!', fault: '✗' };
const width = 'configuration'.length;
/** A finding may quote others, who may be long-winded. */
const longest = 600;

/** Foreign words may be in it: on one line, without what steers a terminal, and never with a secret. */
export function tidied(told: Told, secrets: readonly string[]): Told {
  const redact = redactor(secrets);
  const tidy = (text: string) => plainName(redact(text), longest);
  return { ...told, found: tidy(told.found), cure: told.cure === null ? null : tidy(told.cure) };
}

/** A finding as people read it: one line, and the cure below it. */
export function lineOf({ check, level, found, cure }: Told): string {
  const line = `${marks[level]} ${check.padEnd(width)}  ${found}`;
  return cure === null ? line : `${line}\n${' '.repeat(width + 4)}→ ${cure}`;
}

/** The last line. */
export function verdictOf(findings: readonly Told[]): string {
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length;
  const [faults, notes] = [count('fault'), count('note')];
  if (faults + notes === 0) return 'All is well.';
  const counted = (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`;
  return faults === 0
    ? `No fault, ${counted(notes, 'note')}.`
    : `${counted(faults, 'fault')}, ${counted(notes, 'note')}.`;
}

/** For machines: `{well, findings: [{check, level, found, cure}]}`. */
export function jsonOf(findings: readonly Told[]): string {
  const listed = findings.map(({ check, level, found, cure }) => ({ check, level, found, cure }));
  return JSON.stringify({ well: findings.every(({ level }) => level !== 'fault'), findings: listed }, null, 2);
}

/** The exit code: 1 for a fault. */
export function exitCodeOf(findings: readonly Told[]): number {
  return findings.some(({ level }) => level === 'fault') ? exit.fault : exit.fine;
}
