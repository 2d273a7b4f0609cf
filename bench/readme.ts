import { readFileSync, writeFileSync } from 'node:fs';
import type { Goal } from './report.ts';

/** What the README shows of a benchmark. */
export interface Result {
  /** When and where it was measured. */
  readonly provenance: string;
  readonly goals: readonly Goal[];
}

const readme = new URL('./README.md', import.meta.url);

/** Writes a result into bench/README.md. Throws as {@link withResult} does. */
export function writeResult(name: string, result: Result): void {
  writeFileSync(readme, withResult(readFileSync(readme, 'utf8'), name, result));
}

/**
 * The text with the result in its two tables, replacing an earlier one.
 * @throws Error if the table "measured" has no row for the benchmark
 */
export function withResult(whole: string, name: string, { provenance, goals }: Result): string {
  const measured = changeTable(whole, 'measured', (rows) => {
    if (rows.every(([benchmark]) => benchmark !== name)) {
      throw new Error(`bench/README.md has no place for the results of ${name}: add a row to its first table.`);
    }
    return rows.map((row) => (row[0] === name ? [...row.slice(0, -1), provenance] : row));
  });
  return changeTable(measured, 'results', (rows) => {
    const own = [...Map.groupBy(goals, ({ what, goal }) => `${what} ${goal}`).values()].map((cases) =>
      row(name, cases),
    );
    const at = rows.findIndex(([benchmark]) => benchmark === name);
    const others = rows.filter(([benchmark]) => benchmark !== name);
    return others.toSpliced(at === -1 ? others.length : at, 0, ...own);
  });
}

/** One row for all cases of a goal. */
function row(name: string, cases: readonly Goal[]): string[] {
  const met = cases.filter((each) => each.met).length;
  const metText = met === cases.length ? 'yes' : cases.length === 1 ? '**no**' : `**${met} of ${cases.length}**`;
  return [name, cases[0]?.what ?? '', cases[0]?.goal ?? '', cases.map(({ measured }) => measured).join(', '), metText];
}

type Rows = readonly (readonly string[])[];

/** The text with other rows in the table between the markers. */
function changeTable(whole: string, table: string, change: (rows: Rows) => Rows): string {
  const [begin, end] = [`<!-- ${table}: begin -->`, `<!-- ${table}: end -->`];
  const from = whole.indexOf(begin) + begin.length;
  const to = whole.indexOf(end);
  if (!whole.includes(begin) || to < from) throw new Error(`bench/README.md has no table between ${begin} and ${end}.`);
  const [columns = '', rule = '', ...rows] = whole.slice(from, to).trim().split('\n');
  const changed = change(rows.map(cellsOf)).map((cells) => `| ${cells.join(' | ')} |`);
  return `${whole.slice(0, from)}\n\n${[columns, rule, ...changed].join('\n')}\n\n${whole.slice(to)}`;
}

function cellsOf(line: string): string[] {
  return line
    .replace(/^\| ?|\|$/g, '')
    .split('|')
    .map((cell) => cell.trim());
}
