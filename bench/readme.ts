import { readFileSync, writeFileSync } from 'node:fs';
import type { Goal } from './report.ts';

/** What the README shows of a benchmark. */
export interface Result {
  /** The machine in a few words: the heading of its column. */
  readonly machine: string;
  /** When, and on what exactly. */
  readonly provenance: string;
  readonly goals: readonly Goal[];
}

/** The README shows the results of this many machines. */
const maxMachines = 2;
const unknown = '–';
const readme = new URL('./README.md', import.meta.url);

/** Writes a result into bench/README.md. Throws as {@link withResult} does. */
export function writeResult(name: string, result: Result): void {
  writeFileSync(readme, withResult(readFileSync(readme, 'utf8'), name, result));
}

/**
 * The text with the result in the column of its machine, which is a new one if the machine has none. Then the column that
 * was written longest ago is left out.
 * @throws Error if there are no markers for the benchmark
 */
export function withResult(whole: string, name: string, { machine, provenance, goals }: Result): string {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const from = whole.indexOf(begin) + begin.length;
  const to = whole.indexOf(end);
  if (!whole.includes(begin) || to < from) throw new Error(`bench/README.md has no place for the results of ${name}.`);

  const others = columnsIn(whole.slice(from, to)).filter((column) => column.machine !== machine);
  const rows = [...Map.groupBy(goals, ({ what, goal }) => nameOf([what, goal])).values()];
  const own = new Map(rows.map((cases) => [nameOf([cases[0]?.what ?? '', cases[0]?.goal ?? '']), measuredIn(cases)]));
  const columns: Column[] = [...others.slice(1 - maxMachines), { machine, provenance, cells: own }];
  const table = [
    ['what', 'goal', ...columns.map((column) => column.machine)],
    ['---', '---:', ...columns.map(() => '---:')],
    ...rows.map(([first]) => {
      const [what, goal] = [first?.what ?? '', first?.goal ?? ''];
      return [what, goal, ...columns.map(({ cells }) => cells.get(nameOf([what, goal])) ?? unknown)];
    }),
  ].map((cells) => `| ${cells.join(' | ')} |`);
  const measured = columns.map((column) => `- ${column.machine}: ${column.provenance}`);
  return `${whole.slice(0, from)}\n\n${table.join('\n')}\n\n${measured.join('\n')}\n\n${whole.slice(to)}`;
}

/** The results of one machine. */
interface Column {
  readonly machine: string;
  readonly provenance: string;
  /** What was measured, by what and goal. */
  readonly cells: ReadonlyMap<string, string>;
}

/** The columns of a section, that written last at the end. */
function columnsIn(section: string): readonly Column[] {
  const lines = section.split('\n');
  const [header = [], , ...rows] = lines.filter((line) => line.startsWith('|')).map(cellsOf);
  return header.slice(2).map((machine, place) => ({
    machine,
    provenance: lines.find((line) => line.startsWith(`- ${machine}: `))?.slice(machine.length + 4) ?? '',
    cells: new Map(rows.map(([what = '', goal = '', ...cells]) => [nameOf([what, goal]), cells[place] ?? unknown])),
  }));
}

function nameOf([what, goal]: readonly [what: string, goal: string]): string {
  return `${what} ${goal}`;
}

/** All cases of a goal; what misses it is bold. */
function measuredIn(cases: readonly Goal[]): string {
  return cases.map(({ measured, met }) => (met ? measured : `**${measured}**`)).join(', ');
}

function cellsOf(line: string): string[] {
  return line
    .replace(/^\| ?|\|$/g, '')
    .split('|')
    .map((cell) => cell.trim());
}
