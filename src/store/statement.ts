import { type Compilable, DummyDriver, type Kysely, type RawBuilder, sql } from 'kysely';
import type { Connection, Dialect, Query } from './dialect/dialect.ts';
import { kyselyWith } from './dialect/kysely-over.ts';
import type { Tables } from './tables.ts';

/** Builds and compiles statements in the dialect's spelling; it never runs one itself. */
export function compiler(dialect: Pick<Dialect, 'kysely'>): Kysely<Tables> {
  return kyselyWith(dialect, new DummyDriver());
}

/** Compiles and runs a statement, and returns its rows. */
export async function run<Row>(connection: Connection, query: Compilable<Row>): Promise<readonly Row[]> {
  return (await connection.run(query.compile())) as readonly Row[];
}

/**
 * A value that stands in the statement's text. Bound instead, it costs: SQLite builds a table for every bound `in (…)`, three times
 * the price of the whole look-up, and it uses a partial index only for a condition whose value it can see.
 */
export function literal<Value extends string | number>(value: Value): RawBuilder<Value> {
  return sql.lit(value);
}

class Argument {
  readonly name: PropertyKey;
  constructor(name: PropertyKey) {
    this.name = name;
  }
}

/** A function that stands for each argument. */
type Argued<Args> = <Name extends keyof Args>(name: Name) => Args[Name];

/**
 * A statement for the hot path: compiled once by Kysely, then only run. `build` gets a function that stands for each argument.
 * Compiling costs more than running, so that is most of the difference between a query builder and bare SQL.
 */
export function statement<Args extends object>() {
  return <Row>(build: (argument: Argued<Args>) => Compilable<Row>) => {
    const queryOf = compiled(build);
    return async (connection: Connection, args: Args): Promise<readonly Row[]> =>
      (await connection.run(queryOf(args))) as readonly Row[];
  };
}

/** The same for an insertion; it returns the number of the new row, or null where a conflict kept it out. */
export function insertion<Args extends object>() {
  return (build: (argument: Argued<Args>) => Compilable<unknown>) => {
    const queryOf = compiled(build);
    return (connection: Connection, args: Args): Promise<number | null> => connection.insert(queryOf(args));
  };
}

function compiled<Args extends object>(build: (argument: Argued<Args>) => Compilable<unknown>): (args: Args) => Query {
  const { sql: text, parameters } = build((name) => new Argument(name) as never).compile();
  return (args) => ({
    sql: text,
    parameters: parameters.map((value) => (value instanceof Argument ? args[value.name as keyof Args] : value)),
  });
}
