import type { Compilable, CompiledQuery } from 'kysely';
import { BoundedMap } from '../bounded-map.ts';
import type { Connection } from './dialect.ts';

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

/** Lengths of lists for which a statement is in memory. */
const maxLengths = 100;

/** Compiles a statement once, without a connection, and returns it with its arguments. */
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

export type PlaceholderFor<Args> = <Name extends keyof Args>(name: Name) => Args[Name];

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
