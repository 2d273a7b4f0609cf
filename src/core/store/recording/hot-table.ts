import type { Selectable } from 'kysely';

/** A table of a feature whose rows are written, and may be read, in the transactions of events: see {@link Tally}. */
export interface HotTable<Row extends object = object> {
  readonly name: string;
  /** The columns that identify a row; a single one if rows are read, and none if rows are only added. */
  readonly key: readonly string[];
  /** All columns that are written, with their types in PostgreSQL. */
  readonly columns: Readonly<Record<string, 'text' | 'bigint'>>;
  /** The columns without the key of a row that is read before it was written. By default the table is not read. */
  readonly initial?: Readonly<Record<string, number | null>>;
  /** Only rows with this value are replaced; by default all. */
  readonly replaces?: { readonly column: string; readonly value: string };
  /** Never there: it carries the type of the rows. */
  readonly row?: Row;
}

/** Declares one of the tables that a feature adds. */
export function hotTable<Own>() {
  return <Name extends keyof Own & string, Key extends Column<Own, Name>>(table: {
    readonly name: Name;
    readonly key: readonly Key[];
    readonly columns: Readonly<Record<Column<Own, Name>, 'text' | 'bigint'>>;
    /** The columns of a row that was not written yet; those that are not stated are null. */
    readonly initial?: InitialRow<Omit<Selectable<Own[Name]>, Key>>;
    readonly replaces?: { readonly column: Column<Own, Name>; readonly value: string };
  }): HotTable<Selectable<Own[Name]>> => {
    const { initial, ...declared } = table;
    if (initial === undefined) return declared;
    const others = Object.keys(table.columns).filter((column) => !table.key.some((each) => each === column));
    return { ...declared, initial: { ...Object.fromEntries(others.map((column) => [column, null])), ...initial } };
  };
}

type Column<Own, Name extends keyof Own> = keyof Selectable<Own[Name]> & string;

type InitialRow<Columns> = { readonly [Name in keyof Columns as null extends Columns[Name] ? never : Name]: number };

/** The clause about a row that exists, in both databases. */
export function replacement({ name, key, columns, replaces }: HotTable): string {
  if (key.length === 0) return '';
  const changed = Object.keys(columns).filter((column) => !key.includes(column));
  const condition = replaces === undefined ? '' : ` where ${name}.${replaces.column} = '${replaces.value}'`;
  return `on conflict (${key.join(', ')}) do update set ${changed.map((column) => `${column} = excluded.${column}`).join(', ')}${condition}`;
}

/** Names a row of the table. */
export function keyOf({ key }: HotTable, row: object): string {
  const values: Readonly<Record<string, unknown>> = { ...row };
  return key.map((column) => values[column]).join(' ');
}

/** True if a row says what a missing one says. */
export function isInitial({ initial = {} }: HotTable, row: object): boolean {
  const values: Readonly<Record<string, unknown>> = { ...row };
  return Object.entries(initial).every(([column, value]) => (values[column] ?? null) === value);
}

/** A row that events read: its table and key. */
export interface HotKey {
  readonly table: HotTable;
  readonly key: string;
}
