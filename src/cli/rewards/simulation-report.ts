import { formatCount } from '../../platform/durations.ts';
import type { CauseComparison, MemberComparison } from './simulation.ts';

/** The result of a simulation apart from its members. */
export interface SimulationSummary {
  readonly members: number;
  readonly votes: number;
  readonly causes: readonly CauseComparison[];
}

const numbers = new Intl.NumberFormat('en');
const differences = new Intl.NumberFormat('en', { signDisplay: 'exceptZero' });

/** The totals by cause for people, one line each. */
export function formatSummary({ members, votes, causes }: SimulationSummary): string[] {
  const sum = (of: 'paid' | 'simulated') => causes.reduce((total, cause) => total + cause[of].credits, 0);
  const rows = causes.map(({ cause, paid, simulated }) => toRow(cause, paid.credits, simulated.credits));
  return [
    `${formatCount(votes, 'counted vote')} of ${formatCount(members, 'member')}. Credits by cause:`,
    '',
    ...formatTable(
      ['cause', 'paid', 'with these rules', 'difference'],
      [...rows, toRow('total', sum('paid'), sum('simulated'))],
    ),
  ];
}

/** Members for people, one line each, below a title; nothing without members. */
export function formatMembers(title: string, members: readonly MemberComparison[]): string[] {
  if (members.length === 0) return [];
  const rows = members.map(({ userId, paid, simulated }) => toRow(userId, paid, simulated));
  return ['', title, '', ...formatTable(['member', 'paid', 'with these rules', 'difference'], rows)];
}

/** Totals by cause and of all causes, for programs. */
export function summaryInJson({ members, votes, causes }: SimulationSummary) {
  const credits = (of: 'paid' | 'simulated') => causes.reduce((total, cause) => total + cause[of].credits, 0);
  return { members, votes, causes, total: { paid: credits('paid'), simulated: credits('simulated') } };
}

function toRow(name: string, paid: number, simulated: number): string[] {
  return [name, numbers.format(paid), numbers.format(simulated), differences.format(simulated - paid)];
}

/** Text in columns: the first one to the left, numbers to the right. */
function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('   ')
      .trimEnd(),
  );
}
