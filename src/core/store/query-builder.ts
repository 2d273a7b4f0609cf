import {
  type Compilable,
  type CompiledQuery,
  DummyDriver,
  type Insertable,
  type Kysely,
  type RawBuilder,
  sql,
} from 'kysely';
import { BoundedMap } from '../../platform/bounded-map.ts';
import type { Connection, SqlDialect } from '../../platform/database/dialect.ts';
import { kyselyWith } from '../../platform/database/kysely-on.ts';
import { memoizeOne } from '../../platform/memoize.ts';
import type { Tables } from './tables.ts';

/** What statements need: `db` builds them, `connection` runs them. */
export interface SqlAccess {
  readonly db: Kysely<Tables>;
  readonly connection: Connection;
}

/** Builds and compiles statements for the dialect's database. It cannot run them. */
export function queryBuilder(dialect: Pick<SqlDialect, 'kysely'>): Kysely<Tables> {
  return kyselyWith(dialect, new DummyDriver());
}

/** Compiles and runs a statement, and returns its rows. */
export async function run<Row>(connection: Connection, query: Compilable<Row>): Promise<readonly Row[]> {
  return (await connection.run(query.compile())) as readonly Row[];
}

type Row<Table extends keyof Tables> = Insertable<Tables[Table]>;
type Key<Table extends keyof Tables, Name extends keyof Row<Table>> = Pick<Row<Table>, Name>;
type Values<Table extends keyof Tables, Name extends keyof Row<Table>> = Omit<Row<Table>, Name>;

/** Inserts a row, or replaces these values of the row with the key. */
export async function upsert<Table extends keyof Tables, Name extends keyof Row<Table>>(
  { db, connection }: SqlAccess,
  table: Table,
  key: Key<Table, Name>,
  values: Values<Table, Name>,
): Promise<void> {
  const insert = insertRow(db, table, key, values);
  await run(
    connection,
    insert.onConflict((conflict) => conflict.columns(namesIn(key)).doUpdateSet(values as never)),
  );
}

/** Inserts a row unless there is one with the key. */
export async function insertMissing<Table extends keyof Tables, Name extends keyof Row<Table>>(
  { db, connection }: SqlAccess,
  table: Table,
  key: Key<Table, Name>,
  values: Values<Table, Name>,
): Promise<void> {
  const insert = insertRow(db, table, key, values);
  await run(
    connection,
    insert.onConflict((conflict) => conflict.columns(namesIn(key)).doNothing()),
  );
}

// Kysely cannot relate a row to a table that is a parameter; the callers' types do.
function insertRow(db: Kysely<Tables>, table: keyof Tables, key: object, values: object) {
  return db.insertInto(table).values({ ...key, ...values } as never);
}

function namesIn(key: object): never[] {
  return Object.keys(key) as never[];
}

/**
 * A value written into the statement's text instead of bound. SQLite builds a table for a bound `in (…)`, which triples
 * the cost of the look-up, and it uses a partial index only if the value is visible in the condition.
 */
export function literal<Value extends string | number>(value: Value): RawBuilder<Value> {
  return sql.lit(value);
}

/**
 * A statement for the hot path: Kysely compiles it once, since compiling costs more than running. `build` receives a
 * function that returns a placeholder for each argument; for a list it is compiled once for each length, so lists must be
 * short.
 */
export function preparedQuery<Args extends object>() {
  return <Row>(build: (placeholder: PlaceholderFor<Args>) => Compilable<Row>) => {
    const bind = boundQuery<Args>()(build);
    return (connection: Connection, args: Args) => connection.run(bind(args)) as Promise<readonly Row[]>;
  };
}

/** The same for a statement of a module, which is used with several databases. */
export function preparedStatement<Args extends object>() {
  return <Row>(build: (db: Kysely<Tables>, placeholder: PlaceholderFor<Args>) => Compilable<Row>) => {
    const bindIn = memoizeOne((db: Kysely<Tables>) => boundQuery<Args>()((placeholder) => build(db, placeholder)));
    return ({ db, connection }: SqlAccess, args: Args) => connection.run(bindIn(db)(args)) as Promise<readonly Row[]>;
  };
}

/** Lengths of lists for which a statement is in memory. */
const maxLengths = 100;

/** The same without a connection: returns the compiled statement with its arguments. */
export function boundQuery<Args extends object>() {
  return <Row>(build: (placeholder: PlaceholderFor<Args>) => Compilable<Row>) => {
    const compiled = new BoundedMap<CompiledQuery<Row>>(maxLengths);
    return (args: Args): CompiledQuery<Row> => {
      const lengths = lengthsIn(args);
      let query = compiled.get(lengths);
      if (query === undefined) {
        // Kysely passes parameters through untouched, so a placeholder can have the type of the value that replaces it.
        query = build((name) => placeholderFor(name, args[name]) as never).compile();
        compiled.set(lengths, query);
      }
      return { ...query, parameters: query.parameters.map((parameter) => argumentOf(parameter, args)) };
    };
  };
}

/** Takes the place of an argument, or of one value of a list. */
class Placeholder {
  readonly name: PropertyKey;
  readonly index: number | null;
  constructor(name: PropertyKey, index: number | null) {
    this.name = name;
    this.index = index;
  }
}

type PlaceholderFor<Args> = <Name extends keyof Args>(name: Name) => Args[Name];

function lengthsIn(args: object): string {
  let lengths = '';
  for (const value of Object.values(args)) if (Array.isArray(value)) lengths += ` ${value.length}`;
  return lengths;
}

function placeholderFor(name: PropertyKey, value: unknown): Placeholder | readonly Placeholder[] {
  return Array.isArray(value) ? value.map((_, index) => new Placeholder(name, index)) : new Placeholder(name, null);
}

function argumentOf<Args extends object>(parameter: unknown, args: Args): unknown {
  if (!(parameter instanceof Placeholder)) return parameter;
  const value = args[parameter.name as keyof Args];
  return parameter.index === null ? value : (value as readonly unknown[])[parameter.index];
}
