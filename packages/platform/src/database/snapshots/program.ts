/** A program of this package that has a database of its own. */
export interface DatabaseProgram {
  /** In messages: `the bot`. */
  readonly name: string;
  /** The names of the migrations that this version knows, oldest first. */
  readonly migrations: readonly string[];
}

/**
 * The names of the first migration of each program. It is changed in place until 0.1.0, and then its number is counted
 * up; the first development versions had none.
 */
const firstMigrations: readonly { readonly program: string; readonly names: RegExp }[] = [
  { program: 'the bot', names: /^001-(?:bot-\d+|first)$/ },
  { program: 'the listing service', names: /^001-(?:service-\d+|first-tables)$/ },
];

/**
 * The owner of a database with applied migrations: the program itself; one of its development versions from before
 * 0.1.0; or another program, whose name is null if it is none of this package.
 * @param known the migrations of the program, oldest first
 */
export function ownerOf(
  applied: readonly string[],
  known: readonly string[],
):
  | { readonly state: 'own' }
  | { readonly state: 'unreleased' }
  | { readonly state: 'foreign'; readonly owner: string | null } {
  if (applied.includes(known[0] ?? '')) return { state: 'own' };
  const owner = programWith(applied);
  return owner !== null && owner === programWith(known) ? { state: 'unreleased' } : { state: 'foreign', owner };
}

function programWith(migrations: readonly string[]): string | null {
  const found = firstMigrations.find(({ names }) => migrations.some((name) => names.test(name)));
  return found?.program ?? null;
}
