import { type Dialect, DummyDriver, Kysely } from 'kysely';

/** Builds and compiles statements for the dialect's database. It cannot run them. */
export function statementBuilder<Tables>(dialect: Dialect): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => dialect.createAdapter(),
      createIntrospector: (db) => dialect.createIntrospector(db),
      createQueryCompiler: () => dialect.createQueryCompiler(),
      createDriver: () => new DummyDriver(),
    },
  });
}
