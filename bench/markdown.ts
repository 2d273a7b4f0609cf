import type { Goal, Report, Table } from './report.ts';

/** Formats a report for the README and the terminal. */
export function markdown({ goals, tables, notes }: Report): string {
  const parts = [...(goals.length > 0 ? [goalTable(goals)] : []), ...tables.map(captioned)];
  if (notes.length > 0) parts.push(notes.map((note) => `- ${note}`).join('\n'));
  return parts.join('\n\n');
}

function goalTable(goals: readonly Goal[]): string {
  const rows = goals.map(({ what, case: of, goal, measured, met }) => {
    return [of === undefined ? what : `${what}: ${of}`, goal, measured, met ? 'yes' : '**no**'];
  });
  return drawn(['what', 'goal', 'measured', 'met'], rows);
}

function captioned({ caption, columns, rows }: Table): string {
  return `${caption}\n\n${drawn(columns, rows)}`;
}

/** Padded columns, readable in a terminal too; all but the first are right-aligned. */
function drawn(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map((name, at) => Math.max(3, name.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join(' | ')} |`;
  const rule = `|${widths.map((width, at) => (at === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [line(columns), rule, ...rows.map(line)].join('\n');
}
