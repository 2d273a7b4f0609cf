/** A program of this package that has a database of its own. */
export interface DatabaseProgram {
  /** In messages: `the bot`. */
  readonly name: string;
  /** The names of the migrations that this version knows, oldest first. */
  readonly migrations: readonly string[];
}

/** The programs of this package, by the first migration of their databases. */
const namesByFirstMigration: Readonly<Record<string, string>> = {
  '001-first': 'the bot',
  '001-first-tables': 'the listing service',
};

/** Whose database it is, by its applied migrations; null for a program of somebody else. */
export function nameOfOwner(applied: readonly string[]): string | null {
  const first = applied.find((name) => Object.hasOwn(namesByFirstMigration, name));
  return first === undefined ? null : (namesByFirstMigration[first] ?? null);
}
