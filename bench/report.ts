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
