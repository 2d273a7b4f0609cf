/** How thoroughly to measure. */
export interface Profile {
  /** A minute or two: fewer rounds and shorter runs. The figures are less precise. */
  readonly quick: boolean;
  /** An empty directory on a real disk, for the benchmark's files. */
  readonly directory: string;
}

/** One benchmark: produces tables and goals that are met or missed. */
export interface Benchmark {
  /** The name on the command line and in the README. */
  readonly name: string;
  /** What it measures and how, for `--help`. */
  readonly method: string;
  /** @throws Error if a contender produced a wrong result: its figures would be meaningless. */
  readonly measure: (profile: Profile, logProgress: LogProgress) => Promise<Report>;
}

/** Prints progress on the terminal. */
export type LogProgress = (progress: string) => void;

/** The result of a benchmark. */
export interface Report {
  readonly goals: readonly Goal[];
  readonly tables: readonly Table[];
  /** Notes that a reader needs to interpret the figures, one sentence each. */
  readonly notes: readonly string[];
}

/** A goal and the measured value. */
export interface Goal {
  readonly what: string;
  /** Which of several cases with this goal it is; the README shows all of them in one row. */
  readonly case?: string | undefined;
  readonly goal: string;
  readonly measured: string;
  readonly met: boolean;
}

export interface Table {
  readonly caption: string;
  readonly columns: readonly string[];
  /** One cell per column. The first names the row; the others are figures. */
  readonly rows: readonly (readonly string[])[];
}

/** A goal of the form "at least". */
export function atLeast(what: string, least: number, measured: number, of?: string): Goal {
  return { what, case: of, goal: `≥ ${least}×`, measured: multiple(measured), met: measured >= least };
}

/** A goal of the form "at most", as a multiple. */
export function atMost(what: string, most: number, measured: number, of?: string): Goal {
  return { what, case: of, goal: `≤ ${most}×`, measured: multiple(measured), met: measured <= most };
}

/** A goal of the form "within", in a unit. */
export function within(what: string, most: number, measured: number, unit: string, of?: string): Goal {
  return { what, case: of, goal: `≤ ${most} ${unit}`, measured: `${figure(measured)} ${unit}`, met: measured <= most };
}

function multiple(ratio: number): string {
  return Number.isFinite(ratio) ? `${ratio.toFixed(2)}×` : '–';
}

/** Three significant digits; more would be false precision. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (value === 0 || Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

/** The value below which `share` of the samples lie (nearest rank). NaN where there are none. */
export function percentile(samples: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(samples).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export function median(samples: Iterable<number>): number {
  return percentile(samples, 0.5);
}

/** Formats a report for the README and the terminal. */
export function markdown({ goals, tables, notes }: Report): string {
  const parts = [...(goals.length > 0 ? [goalTable(goals)] : []), ...tables.map(captioned)];
  if (notes.length > 0) parts.push(notes.map((note) => `- ${note}`).join('\n'));
  return parts.join('\n\n');
}

/** The goals with what was measured, as a table in Markdown. */
export function goalTable(goals: readonly Goal[]): string {
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
